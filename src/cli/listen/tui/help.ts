/* The page of keys. */
import { blank, concat, type Line, span, wrapWords } from './text.ts';

const groups: readonly (readonly [title: string, keys: readonly (readonly [keys: string, does: string])[]])[] = [
  [
    'The selected event',
    [
      ['enter', 'show it; Escape or ← goes back'],
      ['r', 'send it again now, also when it is held'],
      ['e', 'edit its body in $VISUAL or $EDITOR, and send it'],
      ['d', 'how two of its answers differ'],
      ['p', 'pin it, so that the server keeps it'],
      ['s', 'skip it: give it up, so that the events after it go on'],
      ['c', 'the command that sends it from a shell'],
      ['o', 'open it in the dashboard'],
    ],
  ],
  [
    'Everything else',
    [
      ['↑ ↓, j k', 'select or scroll; Page Up and Page Down by a screen'],
      ['g, G', 'the beginning; the end, where the list follows new events'],
      ['tab', 'the next section of an event'],
      ['[, ]', 'the event before and after; in a diff, the answers'],
      ['h', 'the event that is held or tried again'],
      ['f', 'filter the list, as in type:invoice.* verdict:valid; stops no event'],
      ['space', 'pause: no event is sent until you press it again'],
      ['q, ctrl-c', 'quit after running deliveries have finished; twice: at once'],
    ],
  ],
];

const keyWidth = 11;
const signs = '* pinned   ! invalid signature   HELD: the events after it wait';

export function helpLines(columns: number): Line[] {
  const lines: Line[] = [];
  for (const [title, keys] of groups) {
    lines.push(span(title, 'strong'));
    for (const [name, does] of keys)
      for (const [at, text] of wrapWords(does, Math.max(10, columns - keyWidth - 2)).entries())
        lines.push(concat(span(`  ${(at === 0 ? name : '').padEnd(keyWidth)}`, 'key'), text));
    lines.push(blank);
  }
  return [...lines, ...wrapWords(signs, columns, 'faint')];
}
