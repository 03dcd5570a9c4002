/* Breaks lines for terminals of 80 columns. */

export const terminalColumns = 80;

/** The words of a usage line. A group in brackets or parentheses, and an option with its value, are kept together. */
const usageWords = /\[[^\]]+\]…?|\([^)]+\)|--[a-z0-9-]+ (?!\[|--)\S+|\S+/g;

function fill(words: readonly string[], indent: string, first: string): string {
  const lines: string[] = [];
  let line = first;
  for (const word of words) {
    const isEmpty = line.trim() === '';
    if (!isEmpty && Bun.stringWidth(line) + 1 + Bun.stringWidth(word) > terminalColumns) {
      lines.push(line);
      line = indent + word;
    } else line = isEmpty ? line + word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}

/** A usage line, continued under its first argument. */
export const wrapUsage = (usage: string): string =>
  usage
    .split('\n')
    .map(line => fill(line.match(usageWords) ?? [], '    ', ''))
    .join('\n');

/** `left`, padded to `width`, and then the text in a second column. */
export const wrapBeside = (left: string, width: number, text: string): string => {
  const start = `${left}${' '.repeat(Math.max(0, width - Bun.stringWidth(left)))}`;
  const words = text.split(' ');
  const [head = '', ...rest] = words;
  return fill(rest, ' '.repeat(Bun.stringWidth(start)), start + head);
};
