/* Makes senders' text safe for messages. It may be hostile, and error messages are printed on terminals. */

// Control characters, and characters that reorder or hide text.
const unsafe =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

/** One line of text in which unsafe characters are written as \uXXXX. */
export const safeLine = (text: string): string =>
  text.replace(unsafe, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
