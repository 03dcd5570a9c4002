/* Resolves the escapes of XML in a text. */
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** What is no escape stays as it is. */
export const unescapeXml = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    const code = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal);
    if (name !== undefined) return entities[name] ?? whole;
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
