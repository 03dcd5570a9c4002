/* The differences of two responses: status, headers, body, as removed and added lines with a few equal lines around them. */
import { type DiffLine, diffLines, diffPairs } from '../../../shared/diff/text-diff.ts';
import { statusText } from '../model.ts';
import { readableBody } from './body-lines.ts';
import { ruleLine } from './detail.ts';
import { clockText, countText, durationText } from './format.ts';
import type { Attempt } from './log.ts';
import { statusStyle } from './outcome.ts';
import { blank, concat, cut, type Line, type Style, span, textLines, wrap } from './text.ts';

/** Equal lines that are shown around a change. */
const context = 3;
const maxLines = 5000;

const marks: Record<DiffLine['kind'], { mark: string; style: Style | undefined }> = {
  same: { mark: '  ', style: undefined },
  removed: { mark: '- ', style: 'removed' },
  added: { mark: '+ ', style: 'added' },
};

const markedLines = ({ kind, text }: DiffLine, columns: number): Line[] =>
  wrap(span(marks[kind].mark + text, marks[kind].style), columns, 2);

const note = (text: string): Line[] => [span(text, 'faint')];

const side = (mark: string, { number, at, answer, target }: Attempt): Line =>
  concat(
    span(`${mark} #${number}`.padEnd(6), 'strong'),
    span(`${clockText(at)}  `),
    span(statusText(answer, target), statusStyle(answer)),
    span(`  ${durationText(answer.ms)}  `, 'faint'),
    span(target),
  );

function headerChanges(before: Attempt, after: Attempt, columns: number): Line[] {
  const changes = diffPairs(before.answer.headers, after.answer.headers);
  if (changes.length === 0) return note('The headers are the same.');
  return changes.flatMap(change => [
    ...(change.before === undefined
      ? []
      : markedLines({ kind: 'removed', text: `${change.name}: ${change.before}` }, columns)),
    ...(change.after === undefined
      ? []
      : markedLines({ kind: 'added', text: `${change.name}: ${change.after}` }, columns)),
  ]);
}

/** The changes with their context; the lines left out between them are counted. */
function withContext(lines: readonly DiffLine[], columns: number): Line[] {
  const isNear = new Array<boolean>(lines.length).fill(false);
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(true, Math.max(0, at - context), at + context + 1);
  const shown: Line[] = [];
  let skipped = 0;
  const tellSkipped = (): void => {
    if (skipped > 0) shown.push(span(`  … ${countText(skipped)} equal ${skipped === 1 ? 'line' : 'lines'}`, 'faint'));
    skipped = 0;
  };
  for (const [at, line] of lines.entries()) {
    if (!isNear[at]) {
      skipped++;
      continue;
    }
    tellSkipped();
    shown.push(...markedLines(line, columns));
    if (shown.length > maxLines) return [...shown, ...note('The rest is not shown.')];
  }
  tellSkipped();
  return shown;
}

function bodyChanges(before: Attempt, after: Attempt, columns: number): Line[] {
  const [one, other] = [before.answer.body, after.answer.body];
  if (Buffer.compare(one, other) === 0) return note(one.length === 0 ? 'Both are empty.' : 'The bodies are the same.');
  const [left, right] = [readableBody(one), readableBody(other)];
  if (left === undefined || right === undefined) return note('The bodies differ. At least one is not text.');
  const lines = diffLines(textLines(left).join('\n'), textLines(right).join('\n'));
  if (lines.every(({ kind }) => kind === 'same'))
    return note('They differ only in white space or beyond the part shown.');
  return withContext(lines, columns);
}

export const comparisonLines = (before: Attempt, after: Attempt, columns: number): Line[] => [
  cut(side('-', before), columns),
  cut(side('+', after), columns),
  blank,
  ruleLine('Headers', columns),
  ...headerChanges(before, after, columns),
  blank,
  ruleLine('Body', columns),
  ...bodyChanges(before, after, columns),
];
