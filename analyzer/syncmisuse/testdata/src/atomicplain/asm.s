// Nothing: functions without a body are allowed beside a file of assembly.
