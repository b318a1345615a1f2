package library

// The packages of text and of numbers as text.
var text = []row{
	{"bytes", Harmless | Computes, "NewBufferString"},
	{"bytes", Computes, "" +
		"Cut CutPrefix CutSuffix Fields Join NewBuffer NewReader Repeat Replace ReplaceAll Runes Split SplitAfter " +
		"SplitAfterN SplitN Title ToLowerSpecial ToTitle ToTitleSpecial ToUpperSpecial ToValidUTF8 Trim TrimLeft " +
		"TrimPrefix TrimRight TrimSpace TrimSuffix"},
	{"bytes", Computes | KeepsNothing, "" +
		"Clone Compare Contains ContainsAny ContainsRune Count Equal EqualFold HasPrefix HasSuffix Index IndexAny " +
		"IndexByte IndexRune LastIndex LastIndexAny LastIndexByte ToLower ToUpper"},
	{"bytes", Computes | Iterator, "FieldsSeq Lines SplitAfterSeq SplitSeq"},
	{"bytes", KeepsNothing, "ContainsFunc IndexFunc LastIndexFunc"},
	{"bytes", Contained, "" +
		"Buffer.Available Buffer.AvailableBuffer Buffer.Bytes Buffer.Cap Buffer.Grow Buffer.Len Buffer.Next Buffer.Peek " +
		"Buffer.Read Buffer.ReadByte Buffer.ReadRune Buffer.Reset Buffer.String Buffer.Truncate Buffer.UnreadByte " +
		"Buffer.UnreadRune Buffer.Write Buffer.WriteByte Buffer.WriteRune Buffer.WriteString Reader.Len Reader.Read " +
		"Reader.ReadAt Reader.ReadByte Reader.ReadRune Reader.Reset Reader.Seek Reader.Size Reader.UnreadByte " +
		"Reader.UnreadRune"},
	{"strings", Harmless | Computes | Contained, "" +
		"Clone Compare Contains ContainsAny ContainsRune Count Cut CutPrefix CutSuffix EqualFold Fields HasPrefix " +
		"HasSuffix Index IndexAny IndexByte IndexRune LastIndex LastIndexAny LastIndexByte NewReader Repeat Replace " +
		"ReplaceAll Split SplitAfter SplitAfterN SplitN Title ToLower ToTitle ToUpper ToValidUTF8 Trim TrimLeft " +
		"TrimPrefix TrimRight TrimSpace TrimSuffix"},
	{"strings", Harmless | Computes | Contained | Iterator, "FieldsSeq Lines SplitAfterSeq SplitSeq"},
	{"strings", Computes | KeepsNothing | Contained, "Join"},
	{"strings", Computes | Contained, "NewReplacer ToLowerSpecial ToTitleSpecial ToUpperSpecial"},
	{"strings", KeepsNothing | Contained, "ContainsFunc FieldsFunc IndexFunc LastIndexFunc Map TrimFunc TrimLeftFunc TrimRightFunc"},
	{"strings", Contained, "" +
		"FieldsFuncSeq Builder.Cap Builder.Grow Builder.Len Builder.Reset Builder.String Builder.Write " +
		"Builder.WriteByte Builder.WriteRune Builder.WriteString Reader.Len Reader.Read Reader.ReadAt Reader.ReadByte " +
		"Reader.ReadRune Reader.Reset Reader.Seek Reader.Size Reader.UnreadByte Reader.UnreadRune Replacer.Replace"},
	{"strconv", Harmless | Computes, "" +
		"Atoi CanBackquote FormatBool FormatComplex FormatFloat FormatInt FormatUint IsGraphic IsPrint Itoa ParseBool " +
		"ParseComplex ParseFloat ParseInt ParseUint Quote QuoteRune QuoteRuneToASCII QuoteRuneToGraphic QuoteToASCII " +
		"QuoteToGraphic QuotedPrefix Unquote UnquoteChar"},
	{"strconv", Computes | KeepsFirst, "" +
		"AppendBool AppendFloat AppendInt AppendQuote AppendQuoteRune AppendQuoteRuneToASCII AppendQuoteRuneToGraphic " +
		"AppendQuoteToASCII AppendQuoteToGraphic AppendUint"},
	{"unicode", Harmless | Computes, "" +
		"IsControl IsDigit IsGraphic IsLetter IsLower IsMark IsNumber IsPrint IsPunct IsSpace IsSymbol IsTitle IsUpper " +
		"SimpleFold To ToLower ToTitle ToUpper"},
	{"unicode", Computes, "In Is IsOneOf"},
	{"unicode/utf16", Harmless | Computes, "DecodeRune EncodeRune IsSurrogate RuneLen"},
	{"unicode/utf16", Computes, "AppendRune Decode Encode"},
	{"unicode/utf8", Harmless | Computes, "FullRuneInString RuneCountInString RuneLen RuneStart ValidRune ValidString"},
	{"unicode/utf8", Harmless | Computes | KeepsNothing, "DecodeLastRuneInString DecodeRuneInString"},
	{"unicode/utf8", Computes | KeepsNothing, "DecodeLastRune DecodeRune EncodeRune FullRune RuneCount Valid"},
	{"unicode/utf8", Computes | KeepsFirst, "AppendRune"},
	{"encoding/binary", KeepsNothing, "" +
		"PutUvarint PutVarint Uvarint Varint bigEndian.PutUint16 bigEndian.PutUint32 bigEndian.PutUint64 " +
		"bigEndian.Uint16 bigEndian.Uint32 bigEndian.Uint64 littleEndian.PutUint16 littleEndian.PutUint32 " +
		"littleEndian.PutUint64 littleEndian.Uint16 littleEndian.Uint32 littleEndian.Uint64"},
	{"encoding/binary", KeepsFirst, "" +
		"AppendUvarint AppendVarint bigEndian.AppendUint16 bigEndian.AppendUint32 bigEndian.AppendUint64 " +
		"littleEndian.AppendUint16 littleEndian.AppendUint32 littleEndian.AppendUint64"},
	{"bytes", Contained, "" +
		"Clone ContainsFunc CutPrefix CutSuffix Equal EqualFold Fields FieldsFunc FieldsFuncSeq FieldsSeq " +
		"HasPrefix HasSuffix IndexFunc Join LastIndexAny LastIndexFunc Map NewBuffer NewReader Repeat Runes " +
		"Title ToLower ToLowerSpecial ToTitle ToTitleSpecial ToUpper ToUpperSpecial ToValidUTF8 Trim TrimFunc " +
		"TrimLeft TrimLeftFunc TrimPrefix TrimRight TrimRightFunc TrimSpace TrimSuffix"},
	{"strconv", Contained, "" +
		"AppendQuote AppendQuoteRune AppendQuoteRuneToASCII AppendQuoteRuneToGraphic AppendQuoteToASCII " +
		"AppendQuoteToGraphic NumError.Error NumError.Unwrap"},
	{"unicode", Contained, "In Is IsOneOf"},
	{"path", Contained, "Base Clean Dir Ext IsAbs Join Match Split"},
	{"path/filepath", Contained, "Base Clean Dir Ext FromSlash IsAbs IsLocal Join Match Rel Split SplitList ToSlash VolumeName"},
	{"encoding/hex", Contained, "AppendDecode AppendEncode Decode DecodeString DecodedLen Encode EncodeToString EncodedLen"},
	{"encoding/base64", Contained, "" +
		"NewEncoding Encoding.AppendEncode Encoding.DecodedLen Encoding.Encode Encoding.EncodeToString " +
		"Encoding.EncodedLen Encoding.Strict Encoding.WithPadding"},
	{"hash/fnv", Contained, "New128 New128a New32 New32a New64 New64a"},
	{"html", Contained, "EscapeString"},
	{"net/netip", Contained, "" +
		"Addr.AppendText Addr.AppendTo Addr.BitLen Addr.Compare Addr.Is4 Addr.Is4In6 Addr.Is6 " +
		"Addr.IsGlobalUnicast Addr.IsLoopback Addr.IsMulticast Addr.IsPrivate Addr.IsUnspecified Addr.IsValid " +
		"Addr.Less Addr.MarshalText Addr.Next Addr.Prefix Addr.Prev Addr.String Addr.StringExpanded " +
		"Addr.Unmap Addr.Zone AddrFrom4 AddrPort.Addr AddrPort.Compare AddrPort.IsValid AddrPort.Port " +
		"AddrPortFrom Prefix.Addr Prefix.Bits Prefix.Contains Prefix.IsSingleIP Prefix.IsValid Prefix.Masked " +
		"Prefix.Overlaps Prefix.String PrefixFrom"},
	{"net/url", Contained, "" +
		"PathEscape PathUnescape QueryEscape QueryUnescape User UserPassword URL.EscapedFragment " +
		"URL.EscapedPath URL.Hostname URL.IsAbs URL.JoinPath URL.Port URL.Redacted URL.RequestURI URL.String " +
		"Userinfo.Password Userinfo.String Userinfo.Username Values.Add Values.Del Values.Encode Values.Get " +
		"Values.Has Values.Set"},
	{"regexp", Contained, "" +
		"QuoteMeta Regexp.Expand Regexp.ExpandString Regexp.Find Regexp.FindAll Regexp.FindAllIndex " +
		"Regexp.FindAllString Regexp.FindAllStringIndex Regexp.FindAllStringSubmatch " +
		"Regexp.FindAllStringSubmatchIndex Regexp.FindAllSubmatch Regexp.FindAllSubmatchIndex " +
		"Regexp.FindIndex Regexp.FindString Regexp.FindStringIndex Regexp.FindStringSubmatch " +
		"Regexp.FindStringSubmatchIndex Regexp.FindSubmatch Regexp.FindSubmatchIndex Regexp.LiteralPrefix " +
		"Regexp.Longest Regexp.Match Regexp.MatchString Regexp.NumSubexp Regexp.ReplaceAllFunc " +
		"Regexp.ReplaceAllLiteral Regexp.ReplaceAllLiteralString Regexp.ReplaceAllString " +
		"Regexp.ReplaceAllStringFunc Regexp.Split Regexp.String Regexp.SubexpIndex Regexp.SubexpNames"},
	{"bufio", Contained, "" +
		"NewReadWriter NewReader NewReaderSize NewWriter NewWriterSize Reader.Buffered Reader.Size " +
		"Reader.UnreadByte Reader.UnreadRune Scanner.Buffer Scanner.Bytes Scanner.Err Scanner.Text " +
		"Writer.Available Writer.AvailableBuffer Writer.Buffered Writer.Size"},
}
