//go:build racepred_seam && linux && (amd64 || arm64) && go1.26

package runtime

func rpForwardsRefused() bool { return rpNoForwards }
