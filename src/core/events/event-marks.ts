/* The rules for pins, with a name and a note, and for tags. Requests and imported files share them. */
import { invalid } from '../errors.ts';
import { maxPinNoteCharacters, maxTagCharacters, maxTagsPerEvent } from '../limits.ts';
import { firstCharacters, isPlainText } from '../text.ts';

export const pinNameForm = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** An empty note counts as missing. @throws invalid */
export function readPin({ name = null, note = null }: { name?: unknown; note?: unknown }): {
  name: string | null;
  note: string | null;
} {
  if (name !== null && (typeof name !== 'string' || !pinNameForm.test(name)))
    throw invalid('name must be 1 to 64 of a-z, 0-9, ".", "_" and "-", beginning with a letter or digit');
  return { name, note: readNote(note) };
}

function readNote(given: unknown): string | null {
  if (given === null) return null;
  if (typeof given !== 'string') throw invalid('note must be text');
  const note = given.trim();
  // A note may have several lines.
  if (!isPlainText(note.replaceAll(/\r?\n|\t/g, ' '))) throw invalid('note must not contain control characters');
  if (firstCharacters(note, maxPinNoteCharacters) !== note)
    throw invalid(`note must be at most ${maxPinNoteCharacters} characters`);
  return note || null;
}

/** Without repetitions. @throws invalid */
export function readTags(given: unknown): string[] {
  if (!Array.isArray(given)) throw invalid('tags must be a list');
  if (given.length > maxTagsPerEvent) throw invalid(`tags must be at most ${maxTagsPerEvent}`);
  return [...new Set(given.map(readTag))];
}

function readTag(given: unknown): string {
  const tag = typeof given === 'string' ? given.trim() : '';
  if (tag === '') throw invalid('a tag must not be empty');
  if (!isPlainText(tag)) throw invalid('a tag must not contain control characters');
  if (firstCharacters(tag, maxTagCharacters) !== tag)
    throw invalid(`a tag must be at most ${maxTagCharacters} characters`);
  return tag;
}
