/* Everything that the page can do at this moment: components register commands; the keyboard, the help and the palette read them. */

/** Returning `false` says that there was nothing to do: an older command of the same key gets its turn. */
export type Run = (event: KeyboardEvent) => unknown;

export type Section = 'List' | 'Event' | 'Page' | 'Everywhere';

export type CommandOptions = {
  /** Sentence case, without a full stop: “Copy as curl”. */
  label: string;
  run: Run;
  repeats?: boolean;
  /** It exists, but has nothing to work on now: the palette leaves it out, the help shows it. */
  isOff?: boolean;
  /** Replaces the label in the help; keys with the same words share a line there. */
  help?: string;
  section?: Section;
  /** For a key that makes no sense as an item of the palette, such as “next event”. */
  isKeyOnly?: boolean;
};

export type Command = Omit<CommandOptions, 'run' | 'section'> & {
  /** As in `KeyboardEvent.key`; `Mod+k` is ⌘K on a Mac and Ctrl+K elsewhere. Empty without one. */
  key: string;
  section: Section;
  /** Undefined for a key that the focused control handles itself. */
  run: Run | undefined;
};

type Source = () => readonly Command[];

const sources = new Set<Source>();

export function registerCommands(source: Source): () => void {
  sources.add(source);
  return () => void sources.delete(source);
}

/** In the order in which the parts of the page appeared. */
export const listedCommands = (): Command[] => [...sources].flatMap(source => source());

/** The newest commands first, so that a panel that was just opened takes precedence over the page below it. */
export const registeredCommands = (): Command[] => [...sources].reverse().flatMap(source => source());

export type KeyPress = Pick<
  KeyboardEvent,
  'key' | 'code' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey' | 'getModifierState'
>;

/**
 * The name of a pressed key as commands have it; undefined for a combination that belongs to the browser. Caps Lock makes no
 * difference, and a letter key of another alphabet counts as the Latin letter in its place.
 */
export function keyName(press: KeyPress, isMac: boolean): string | undefined {
  // Many keyboards have brackets only with Option, or with AltGr, which some systems report as Ctrl and Alt.
  if (/^[[\]]$/.test(press.key) && press.altKey && !press.metaKey) return press.key;
  const [mod, foreign] = isMac ? [press.metaKey, press.ctrlKey] : [press.ctrlKey, press.metaKey];
  if (press.altKey || foreign || (mod && press.shiftKey)) return undefined;
  const name = press.getModifierState('CapsLock') ? withoutCapsLock(press) : latin(press);
  // With Shift it is another command, so a capital comes from Caps Lock, even where the browser does not say so.
  return mod ? `Mod+${/^[A-Z]$/.test(name) ? name.toLowerCase() : name}` : name;
}

function latin({ key, code, shiftKey }: KeyPress): string {
  const isOtherAlphabet = key.length === 1 && !/[\0-\x7f]/.test(key);
  const letter = isOtherAlphabet ? /^Key([A-Z])$/.exec(code)?.[1] : undefined;
  return letter === undefined ? key : shiftKey ? letter : letter.toLowerCase();
}

function withoutCapsLock(press: KeyPress): string {
  const key = latin(press);
  return /^[a-z]$/i.test(key) ? (press.shiftKey ? key.toUpperCase() : key.toLowerCase()) : key;
}

/** Runs the newest command of a key that has something to do. Returns whether there was one. */
export function runKey(name: string, event: KeyboardEvent): boolean {
  for (const { key, run, isOff, repeats } of registeredCommands()) {
    if (key !== name || !run || isOff) continue;
    // A held key is not an intention to do it again, but it is not the browser's either.
    if ((event.repeat && !repeats) || run(event) !== false) return true;
  }
  return false;
}
