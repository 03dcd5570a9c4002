/* The rules for pins, with a name and a note, and for tags. Requests and imported files share them. */
import { maxPinNameCharacters, maxPinNoteCharacters, maxTagCharacters, maxTagsPerEvent } from '../../shared/limits.ts';
import { inField, invalid, invalidAt } from '../errors.ts';
import { firstCharacters, isPlainText } from '../text.ts';

export const pinNameForm = new RegExp(`^[a-z0-9][a-z0-9._-]{0,${maxPinNameCharacters - 1}}$`);

/** An empty note counts as missing. @throws invalid */
export function readPin({ name = null, note = null }: { name?: unknown; note?: unknown }): {
  name: string | null;
  note: string | null;
} {
  if (name !== null && (typeof name !== 'string' || !pinNameForm.test(name)))
    throw invalidAt(
      ['name'],
      `must be 1 to ${maxPinNameCharacters} of a-z, 0-9, ".", "_" and "-", beginning with a letter or digit`,
    );
  return { name, note: readNote(note) };
}

function readNote(given: unknown): string | null {
  if (given === null) return null;
  if (typeof given !== 'string') throw invalidAt(['note'], 'must be a text');
  const note = given.trim();
  // A note may have several lines.
  if (!isPlainText(note.replaceAll(/\r?\n|\t/g, ' '))) throw invalidAt(['note'], 'must not contain control characters');
  if (firstCharacters(note, maxPinNoteCharacters) !== note)
    throw invalidAt(['note'], `must have at most ${maxPinNoteCharacters} characters`);
  return note || null;
}

/** Without repetitions. @throws invalid */
export function readTags(given: unknown): string[] {
  if (!Array.isArray(given)) throw invalidAt(['tags'], 'must be a list');
  if (given.length > maxTagsPerEvent) throw invalidAt(['tags'], `must have at most ${maxTagsPerEvent} elements`);
  return [...new Set(given.map((tag, i) => inField(['tags', i], () => readTag(tag))))];
}

function readTag(given: unknown): string {
  const tag = typeof given === 'string' ? given.trim() : '';
  if (tag === '') throw invalid('must not be empty');
  if (!isPlainText(tag)) throw invalid('must not contain control characters');
  if (firstCharacters(tag, maxTagCharacters) !== tag) throw invalid(`must have at most ${maxTagCharacters} characters`);
  return tag;
}
