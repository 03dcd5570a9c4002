/* A body as lines: JSON indented, other text unchanged, binary data as hexadecimal digits. Large bodies are cut. */
import { decodeUtf8, firstBytes } from '../../../core/text.ts';
import { indentJson } from '../../client/body-text.ts';
import { sizeText } from '../../client/output.ts';
import { blank, concat, type Line, span, textLines, wrap } from './text.ts';

/** More text than a user reads on a terminal. */
const maxTextBytes = 128 << 10;
const maxLines = 5000;
const maxBinaryBytes = 1024;
const bytesPerRow = 16;
const memberForm = /^( *)("(?:[^"\\]|\\.)*")(: )/;

const faintLine = (text: string): Line => span(text, 'faint');

/** A body as text, with JSON indented; undefined for binary data. */
export function readableBody(body: Uint8Array): string | undefined {
  const beginning = firstBytes(body, maxTextBytes);
  const text = decodeUtf8(beginning);
  if (text === undefined || text.includes('\0')) return undefined;
  return beginning.length === body.length ? (indentJson(text) ?? text) : text;
}

/** @param whole a text that says where to find the whole body @param mostLines the most lines that are needed */
export function bodyLines(body: Uint8Array, columns: number, whole: string, mostLines = maxLines): Line[] {
  if (body.length === 0) return [faintLine('no body')];
  const text = readableBody(body);
  const lines = text === undefined ? hexLines(body) : coloredLines(text, columns, mostLines);
  const shownBytes = text === undefined ? maxBinaryBytes : maxTextBytes;
  const isCut = body.length > shownBytes || lines.length > mostLines;
  if (!isCut) return lines;
  return [...lines.slice(0, mostLines), blank, ...wrap(faintLine(`The rest is not shown. ${whole}`), columns)];
}

function coloredLines(text: string, columns: number, mostLines: number): Line[] {
  const lines: Line[] = [];
  for (const one of textLines(text)) {
    const [member = '', indent = '', name = '', colon = ''] = memberForm.exec(one) ?? [];
    const line = member
      ? concat(span(indent), span(name, 'accent'), span(colon + one.slice(member.length)))
      : span(one);
    lines.push(...wrap(line, columns, Math.min(indent.length + 2, columns >> 1)));
    if (lines.length > mostLines) break;
  }
  return lines;
}

const hexDigits = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');

function hexLines(body: Uint8Array): Line[] {
  const lines: Line[] = [faintLine(`${sizeText(body.length)} of binary data`)];
  for (let at = 0; at < Math.min(body.length, maxBinaryBytes); at += bytesPerRow) {
    const bytes = [...body.subarray(at, at + bytesPerRow)];
    const hex = bytes.map(byte => hexDigits(byte, 2)).join(' ');
    const shown = bytes.map(byte => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(
      concat(span(hexDigits(at, 4), 'faint'), span(`  ${hex.padEnd(bytesPerRow * 3)} `), span(shown, 'accent')),
    );
  }
  return lines;
}
