/* One event: a summary, the responses of its targets, its body and headers, in sections that Tab goes through. */
import { sizeText, timeText } from '../../client/output.ts';
import { statusText } from '../model.ts';
import { bodyLines } from './body-lines.ts';
import { clockText, durationText } from './format.ts';
import { titleOf } from './list.ts';
import type { Attempt, Row } from './log.ts';
import { createMemory } from './memory.ts';
import { stateLine, statusStyle } from './outcome.ts';
import { blank, concat, type Line, span, spread, wrap, wrapWords } from './text.ts';

export type Detail = {
  lines: readonly Line[];
  /** The lines with the titles of the sections. */
  sections: readonly number[];
};

const causes = { feed: '', again: '  sent again', edited: '  edited', replay: '  replay from the server' } as const;

const verdicts = {
  valid: span('signature valid', 'good'),
  invalid: span('signature invalid', 'bad'),
  unchecked: span('signature not checked', 'faint'),
  none: span('no signature', 'faint'),
} as const;

/** @param title of printable ASCII */
export const ruleLine = (title: string, columns: number): Line =>
  concat(
    span('── ', 'faint'),
    span(title, 'strong'),
    span(` ${'─'.repeat(Math.max(0, columns - title.length - 4))}`, 'faint'),
  );

function aboutLines({ event, isPinned }: Row, columns: number): Line[] {
  const query = event.query ? `?${event.query}` : '';
  const separator = span(' · ', 'faint');
  const facts = concat(
    span(`${clockText(event.receivedAt)} (${timeText(event.receivedAt)})`),
    separator,
    span(sizeText(event.size)),
    event.verdict && concat(separator, verdicts[event.verdict]),
    isPinned && concat(separator, span('pinned', 'warning')),
  );
  const title = concat(span(titleOf({ event }), 'strong'), span(event.platform ? `  ${event.platform}` : '', 'accent'));
  const request = concat(
    span(event.method ?? '', 'strong'),
    span(` ${event.path || '/'}${query}`),
    span(` to ${event.endpoint}`, 'faint'),
  );
  return [spread(title, span(` ${event.id}`, 'faint'), columns), ...wrap(facts, columns), ...wrap(request, columns, 2)];
}

const headerLines = (headers: readonly (readonly [string, string])[], columns: number): Line[] =>
  headers.flatMap(([name, value]) => wrap(concat(span(`${name}: `, 'accent'), span(value)), columns, 2));

function attemptLine({ answer, target, number, at, cause }: Attempt, columns: number): Line[] {
  const line = concat(
    span(`#${number}`.padEnd(4), 'faint'),
    span(`${clockText(at)}  `),
    span(statusText(answer, target), statusStyle(answer)),
    span(`  ${durationText(answer.ms)}  `, 'faint'),
    span(target),
    span(causes[cause], 'warning'),
  );
  // With a status, the error says the same.
  const reason = answer.status === null ? answer.error : null;
  const error = reason ? wrap(concat(span('    '), span(reason, 'bad')), columns, 4) : [];
  return [...wrap(line, columns, 14), ...error];
}

function targetLines(row: Row, columns: number, now: number): Line[] {
  const states = [...row.targets];
  // A target whose last response follows below needs no line.
  const shown = states.filter(([, state]) => states.length > 1 || state.kind !== 'done');
  return shown.flatMap(([target, state]) => {
    const reason = span(state.kind === 'skipped' ? `  ${state.reason}` : '', 'faint');
    return wrap(concat(stateLine(state, now), span(`  ${target}`), reason), columns, 2);
  });
}

function answersSection(row: Row, columns: number, now: number): Line[] {
  const { attempts, attemptCount, hint } = row;
  const forgotten = attemptCount - attempts.length;
  return [
    ...targetLines(row, columns, now),
    ...(hint ? wrapWords(hint, columns - 2, 'warning').map(line => concat(span('  '), line)) : []),
    ...(forgotten > 0 ? [span(`${forgotten} earlier`, 'faint')] : []),
    ...attempts.flatMap(attempt => attemptLine(attempt, columns)),
  ];
}

const lastAnswer = ({ answer }: Attempt, columns: number, mostLines: number | undefined): Line[] => [
  ...headerLines(answer.headers, columns),
  ...(answer.headers.length > 0 ? [blank] : []),
  ...bodyLines(answer.body, columns, '', mostLines),
  ...(answer.isCut ? [span('The response is longer than the part that was read.', 'faint')] : []),
];

type Part = { title: string; lines: readonly Line[] };

function contentOf(row: Row, columns: number, mostLines: number | undefined): readonly Part[] {
  const last = row.attempts.at(-1);
  const { event } = row;
  const raw = `hooktape show ${event.id} --raw has all of it.`;
  const forgottenLines = wrapWords(
    `No longer in memory: press o for the dashboard, or run hooktape show ${event.id}`,
    columns,
    'faint',
  );
  return [
    ...(last && !row.isEmptied
      ? [
          {
            title: `Response #${last.number}: ${statusText(last.answer, last.target)}`,
            lines: lastAnswer(last, columns, mostLines),
          },
        ]
      : []),
    {
      title: `Body, ${sizeText(event.size)}`,
      lines: row.isEmptied ? forgottenLines : bodyLines(event.body, columns, raw, mostLines),
    },
    { title: 'Headers', lines: row.isEmptied ? forgottenLines : headerLines(event.headers, columns) },
  ];
}

/** @param mostLines for the beginning of a body. The expensive part is computed once for each version of a row. */
export function createDetail() {
  const rememberContent = createMemory<readonly Part[]>();

  return (row: Row, { columns, now, mostLines }: { columns: number; now: number; mostLines?: number }): Detail => {
    const answers = answersSection(row, columns, now);
    const content = rememberContent([row, row.version, columns, mostLines], () => contentOf(row, columns, mostLines));
    return inSections(row, columns, [
      {
        title: 'Responses',
        lines: answers.length > 0 ? answers : [span('Not sent yet.', 'faint')],
      },
      ...content,
    ]);
  };
}

function inSections(row: Row, columns: number, parts: readonly Part[]): Detail {
  const lines: Line[] = [...aboutLines(row, columns), blank];
  const sections: number[] = [0];
  for (const [at, part] of parts.entries()) {
    if (at > 0) lines.push(blank);
    sections.push(lines.length);
    lines.push(ruleLine(part.title, columns), ...part.lines);
  }
  return { lines, sections };
}
