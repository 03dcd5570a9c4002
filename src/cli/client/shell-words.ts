/* Reads and quotes words on the command line of a shell, for completion only: words that it expands stay as typed. */

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

type Quote = "'" | '"' | undefined;

/** The text of a word that may lack its closing quote, and the quote that is open at its end. */
export function readTyped(shell: Shell, typed: string): { text: string; open: Quote } {
  const escapeChar = shell === 'powershell' ? '`' : '\\';
  let text = '';
  let open: Quote;
  for (let at = 0; at < typed.length; at++) {
    const char = typed[at] ?? '';
    const next = typed[at + 1] ?? '';
    // PowerShell doubles a quote, and fish escapes it.
    const isEscaped =
      char === escapeChar &&
      (open === undefined || (open === '"' && /["\\`$]/.test(next)) || (shell === 'fish' && /['\\]/.test(next)));
    const isDoubled = shell === 'powershell' && char === open && next === open;
    if (isEscaped || isDoubled) {
      text += next;
      at++;
    } else if (char === open) open = undefined;
    else if (open === undefined && (char === "'" || char === '"')) open = char;
    else text += char;
  }
  return { text, open };
}

/**
 * @param open the quote that the typed word has not closed, after which bash inserts the word
 * @returns the word as the completion script of this shell inserts it; undefined if it cannot be quoted
 */
export function writeWord(shell: Shell, text: string, open: Quote): string | undefined {
  // They quote what is inserted themselves.
  if (shell === 'zsh' || shell === 'fish') return text;
  if (shell === 'powershell')
    return /^[\p{L}\p{N}_.+-]+$/u.test(text) ? text : `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
  if (open === "'") return text.replaceAll("'", "'\\''");
  // An interactive bash replaces ! with a command of its history, and a backslash before it would stay.
  if (open === '"') return text.includes('!') ? undefined : text.replaceAll(/["\\`$]/g, '\\$&');
  return text.replaceAll(/[^\p{L}\p{N}\p{M}_./+%-]/gu, '\\$&');
}
