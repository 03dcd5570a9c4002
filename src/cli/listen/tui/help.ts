/* The page of keys. */
import { blank, concat, type Line, span, wrapWords } from './text.ts';

const groups: readonly (readonly [title: string, keys: readonly (readonly [keys: string, does: string])[]])[] = [
  [
    'The selected event',
    [
      ['enter', 'show it; Escape or ← goes back'],
      ['r', 'send it again now, even if it is held'],
      ['e', 'edit its body in $VISUAL or $EDITOR, and send it'],
      ['d', 'compare two of its responses'],
      ['p', 'pin it, so that the server keeps it'],
      ['s', 'skip it, so that later events continue'],
      ['c', 'show the command that sends it from a shell'],
      ['o', 'open it in the dashboard'],
    ],
  ],
  [
    'Everything else',
    [
      ['↑ ↓, j k', 'select or scroll; Page Up and Page Down by a screen'],
      ['g, G', 'start of the list; end, where it follows new events'],
      ['tab', 'the next section of an event'],
      ['[, ]', 'previous and next event or, in a comparison, response'],
      ['h', 'go to the held or retried event'],
      ['f', 'filter the list, as in type:invoice.*; deliveries continue'],
      ['space', 'pause or resume sending'],
      ['q, ctrl-c', 'quit after running deliveries finish; twice: immediately'],
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
