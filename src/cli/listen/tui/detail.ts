/* One event: a summary, the answers of its targets, its body and headers, in sections that Tab goes through. */
import { safeLine, sizeText, timeText } from '../../client/output.ts';
import { statusText } from '../model.ts';
import { bodyLines } from './body-lines.ts';
import { titleOf } from './list.ts';
import type { Attempt, Row } from './log.ts';
import { createMemory } from './memory.ts';
import { stateLine, statusStyle } from './outcome.ts';
import { type Line, type Span, spread, widthOf, wrapLine, wrapWords } from './text.ts';
import { clockText, durationText, span, styles } from './theme.ts';

export type Detail = {
  lines: readonly Line[];
  /** The lines with the titles of the sections. */
  sections: readonly number[];
};

const causes = { feed: '', again: 'sent again', edited: 'edited', replay: 'replay from the server' } as const;

const verdicts = {
  valid: span('signature valid', styles.good),
  invalid: span('signature invalid', styles.bad),
  unchecked: span('signature not checked', styles.faint),
  none: span('no signature', styles.faint),
} as const;

export const ruleLine = (title: string, columns: number): Line => [
  span('── ', styles.faint),
  span(title, styles.strong),
  span(` ${'─'.repeat(Math.max(0, columns - widthOf(title) - 4))}`, styles.faint),
];

const joined = (spans: readonly Span[]): Span[] =>
  spans.flatMap((one, at) => (at === 0 ? [one] : [span(' · ', styles.faint), one]));

function aboutLines({ event, isPinned }: Row, columns: number): Line[] {
  const query = event.query ? `?${event.query}` : '';
  const facts = [
    span(`${clockText(event.receivedAt)} (${timeText(event.receivedAt)})`),
    span(sizeText(event.size)),
    ...(event.verdict ? [verdicts[event.verdict]] : []),
    ...(isPinned ? [span('pinned', styles.warning)] : []),
  ];
  return [
    spread(
      [
        span(titleOf({ event }), styles.strong),
        ...(event.platform ? [span(`  ${event.platform}`, styles.accent)] : []),
      ],
      [span(` ${event.id}`, styles.faint)],
      columns,
    ),
    ...wrapLine(joined(facts), columns),
    ...wrapLine(
      [
        span(event.method ?? '', styles.strong),
        span(` ${event.path || '/'}${query}`),
        span(` to ${event.endpoint}`, styles.faint),
      ],
      columns,
      2,
    ),
  ];
}

export const headerLines = (headers: readonly (readonly [string, string])[], columns: number): Line[] =>
  headers.flatMap(([name, value]) => wrapLine([span(`${name}: `, styles.accent), span(value)], columns, 2));

function attemptLine(attempt: Attempt, columns: number): Line[] {
  const { answer, target, number } = attempt;
  const cause = causes[attempt.cause];
  const line = [
    span(`#${number}`.padEnd(4), styles.faint),
    span(`${clockText(attempt.at)}  `),
    span(statusText(answer, target), statusStyle(answer)),
    span(`  ${durationText(answer.ms)}  `, styles.faint),
    span(target),
    ...(cause ? [span(`  ${cause}`, styles.warning)] : []),
  ];
  // With a status, the error says the same.
  const reason = answer.status === null ? answer.error : null;
  const error = reason ? wrapLine([span('    '), span(reason, styles.bad)], columns, 4) : [];
  return [...wrapLine(line, columns, 14), ...error];
}

function targetLines(row: Row, columns: number, now: number): Line[] {
  const states = [...row.targets];
  // One whose last answer stands below needs no line.
  const waiting = states.filter(([, state]) => states.length > 1 || state.kind !== 'done');
  return waiting.flatMap(([target, state]) =>
    wrapLine(
      [
        ...stateLine(state, now),
        span(`  ${target}`),
        ...(state.kind === 'skipped' ? [span(`  ${state.reason}`, styles.faint)] : []),
      ],
      columns,
      2,
    ),
  );
}

function answersSection(row: Row, columns: number, now: number): Line[] {
  const { attempts, attemptCount, hint } = row;
  const forgotten = attemptCount - attempts.length;
  return [
    ...targetLines(row, columns, now),
    ...(hint ? wrapWords(hint, columns - 2).map(text => [span('  '), span(text, styles.warning)]) : []),
    ...(forgotten > 0 ? [[span(`${forgotten} earlier`, styles.faint)]] : []),
    ...attempts.flatMap(attempt => attemptLine(attempt, columns)),
  ];
}

const answerCutText = 'The answer is longer than the part that was read.';

function lastAnswer(attempt: Attempt, columns: number, mostLines: number | undefined): Line[] {
  const { answer } = attempt;
  const body = bodyLines(answer.body, columns, '', mostLines);
  return [
    ...headerLines(answer.headers, columns),
    ...(answer.headers.length > 0 ? [[]] : []),
    ...body,
    ...(answer.isCut ? [[span(answerCutText, styles.faint)]] : []),
  ];
}

type Part = { title: string; lines: readonly Line[] };

function contentOf(row: Row, columns: number, mostLines: number | undefined): readonly Part[] {
  const last = row.attempts.at(-1);
  const { event } = row;
  const raw = `hooktape show ${safeLine(event.id)} --raw has all of it.`;
  const forgotten = wrapWords(
    `No longer in memory: press o for the dashboard, or run hooktape show ${event.id}`,
    columns,
  );
  const forgottenLines = forgotten.map(text => [span(text, styles.faint)]);
  return [
    ...(last && !row.isEmptied
      ? [
          {
            title: `Answer #${last.number}: ${statusText(last.answer, last.target)}`,
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

/** @returns the detail of a row; of large bodies, `mostLines` when only the beginning is shown. The part that needs reading is made once for each version of a row. */
export function createDetail() {
  const rememberContent = createMemory<readonly Part[]>();

  return (row: Row, { columns, now, mostLines }: { columns: number; now: number; mostLines?: number }): Detail => {
    const answers = answersSection(row, columns, now);
    const content = rememberContent([row, row.version, columns, mostLines], () => contentOf(row, columns, mostLines));
    return inSections(row, columns, [
      {
        title: 'Answers',
        lines: answers.length > 0 ? answers : [[span('It has not been sent anywhere.', styles.faint)]],
      },
      ...content,
    ]);
  };
}

function inSections(row: Row, columns: number, parts: readonly Part[]): Detail {
  const lines: Line[] = [...aboutLines(row, columns), []];
  const sections: number[] = [0];
  for (const [at, part] of parts.entries()) {
    if (at > 0) lines.push([]);
    sections.push(lines.length);
    lines.push(ruleLine(part.title, columns), ...part.lines);
  }
  return { lines, sections };
}
