/* Whether a body is a form (application/x-www-form-urlencoded). Its content decides: senders sometimes declare other bodies as forms. */

/** 1: in every form; 2: only in a body whose header declares a form. */
const nameCharacters = classes(/[\w.~*+%[\]()!$:@,;/|-]/, /[^\s\p{Cc}<>{}"]/u);
const valueCharacters = classes(/[\w.~*+%[\]()!$:@,;/|'?#-]/, /[\t\n\r]|[^\p{Cc}]|[\u0080-\u009f]/u);

function classes(always: RegExp, declared: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => {
    const character = String.fromCharCode(code);
    return code < 0x80 && always.test(character) ? 1 : declared.test(character) ? 2 : 0;
  });
}

const ampersand = 0x26;
const equalsSign = 0x3d;

/** @param text one character a byte @param isDeclared by the Content-Type header */
export function isForm(text: string, isDeclared: boolean): boolean {
  const worst = isDeclared ? 2 : 1;
  let isName = true;
  let nameLength = 0;
  let hasPair = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === ampersand) {
      if (isName && nameLength > 0 && !isDeclared) return false;
      isName = true;
      nameLength = 0;
    } else if (isName && code === equalsSign) {
      if (nameLength === 0 && !isDeclared) return false;
      isName = false;
      // Base64 ends with an equals sign.
      hasPair ||= isDeclared || (at + 1 < text.length && text.charCodeAt(at + 1) !== equalsSign);
    } else if (isName) {
      const kind = nameCharacters[code] ?? 0;
      if (kind === 0 || kind > worst) return false;
      nameLength++;
    } else if (code !== equalsSign || !isDeclared) {
      const kind = valueCharacters[code] ?? 0;
      if (kind === 0 || kind > worst) return false;
    }
  }
  return hasPair && (isDeclared || !isName || nameLength === 0);
}
