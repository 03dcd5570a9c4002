/* The rules for pins, with a name and a note, and for tags that no schema can say. Requests and imported files share them. */
import { maxPinNoteCharacters, maxTagCharacters } from '../../shared/limits.ts';
import { inField, invalid } from '../errors.ts';
import { firstCharacters, isPlainText } from '../text.ts';
import type { PinFields } from './marks-schema.ts';

/** An empty note counts as missing. @throws invalid */
export const readPin = ({ name, note }: PinFields): { name: string | null; note: string | null } => ({
  name: name ?? null,
  note: inField(['note'], () => readNote(note ?? '')),
});

function readNote(given: string): string | null {
  const note = given.trim();
  // A note may have several lines.
  checkText(note, maxPinNoteCharacters, note.replaceAll(/\r?\n|\t/g, ' '));
  return note || null;
}

/** Without repetitions. @throws invalid */
export const readTags = (given: readonly string[]): string[] => [
  ...new Set(given.map((tag, i) => inField(['tags', i], () => readTag(tag)))),
];

function readTag(given: string): string {
  const tag = given.trim();
  if (tag === '') throw invalid('must not be empty');
  checkText(tag, maxTagCharacters);
  return tag;
}

function checkText(text: string, maxCharacters: number, oneLine = text): void {
  if (!isPlainText(oneLine)) throw invalid('must not contain control characters');
  if (firstCharacters(text, maxCharacters) !== text) throw invalid(`must have at most ${maxCharacters} characters`);
}
