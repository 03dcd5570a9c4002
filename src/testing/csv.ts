/* A strict reader of CSV (RFC 4180): lines end with CRLF, and a quote is allowed only around a cell or doubled inside one. */

/** The cells of each line, `null` for an empty one without quotes. @throws if the text breaks a rule */
export function readCsv(text: string): (string | null)[][] {
  const lines: (string | null)[][] = [];
  const cells: (string | null)[] = [];
  for (let at = 0; at < text.length; ) {
    const [cell, end] = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at);
    cells.push(cell);
    const isLineEnd = text.startsWith('\r\n', end);
    if (!isLineEnd && text[end] !== ',')
      throw new Error(`not CSV at ${end}: ${JSON.stringify(text.slice(end, end + 60))}`);
    if (isLineEnd) lines.push(cells.splice(0));
    at = end + (isLineEnd ? 2 : 1);
  }
  if (cells.length > 0) throw new Error('the last line has no end');
  return lines;
}

function plainCell(text: string, at: number): [string | null, number] {
  const special = /[",\r\n]/g;
  special.lastIndex = at;
  const end = special.exec(text)?.index ?? text.length;
  return [text.slice(at, end) || null, end];
}

function quotedCell(text: string, at: number): [string, number] {
  let end = text.indexOf('"', at + 1);
  while (text[end + 1] === '"') end = text.indexOf('"', end + 2);
  if (end < 0) throw new Error(`the cell at ${at} has no end`);
  return [text.slice(at + 1, end).replaceAll('""', '"'), end + 1];
}
