/*
 * The report of a comparison of two handlers: the differences grouped by path, with examples, and every event that differed.
 * The command line writes it, and the dashboard shows it and offers it as a file. Its values come from destinations and are not
 * trusted.
 */

export type ReportedDifference = { path: string; left: unknown; right: unknown; missing?: 'left' | 'right' };
export type ReportedItem = {
  eventId: string;
  outcome: string;
  status: number | null;
  status2: number | null;
  error: string | null;
  differences: readonly ReportedDifference[];
};
export type ReportedJob = {
  id: string;
  state: string;
  where: string;
  dest: string;
  dest2: string | null;
  ignore: readonly string[];
  compareHeaders: readonly string[];
  matched: number;
  failed: number;
  skipped: number;
  same: number;
  different: number;
  createdAt: number;
  finishedAt: number | null;
};

export type PathGroup = {
  /** With `[]` for any item of a list, in the form that `ignore` accepts. */
  path: string;
  /** How many events differ there. */
  events: number;
  examples: ({ eventId: string } & ReportedDifference)[];
};
export type ComparisonReport<Job extends ReportedJob = ReportedJob, Item extends ReportedItem = ReportedItem> = {
  job: Job;
  /** Sorted by the number of events that differ, highest first. */
  paths: PathGroup[];
  /** Events that differed or failed, in the order of the job. */
  items: Item[];
  /** Whether more events differed than the report contains. */
  truncated: boolean;
};

export const maxReportedItems = 10_000;
const maxExamples = 5;

type Page<Item> = { items: Item[]; nextCursor: string | null };

/** Reads the events that differed or failed, page by page. @param page reads one page of the items with an outcome */
export async function readReport<Job extends ReportedJob, Item extends ReportedItem>(
  job: Job,
  page: (outcome: 'different' | 'failed', cursor: string | undefined) => Promise<Page<Item>>,
  limit = maxReportedItems,
): Promise<ComparisonReport<Job, Item>> {
  const items: Item[] = [];
  let isTruncated = false;
  for (const outcome of ['different', 'failed'] as const)
    for (let cursor: string | undefined; ; ) {
      const found = await page(outcome, cursor);
      const kept = found.items.slice(0, limit - items.length);
      items.push(...kept);
      isTruncated ||= kept.length < found.items.length;
      if (found.nextCursor === null || isTruncated) break;
      cursor = found.nextCursor;
      if (items.length >= limit) {
        isTruncated = true;
        break;
      }
    }
  return { job, paths: groupByPath(items), items, truncated: isTruncated };
}

/** `body.items.0.sku` and `body.items.7.sku` are one path: `body.items[].sku`. */
export const generalPath = (path: string): string => path.replace(/\.\d+(?=\.|$)/g, '[]');

/** @param exampleLimit the most examples for each path */
export function groupByPath(items: readonly ReportedItem[], exampleLimit = maxExamples): PathGroup[] {
  const groups = new Map<string, PathGroup & { last: string }>();
  for (const { eventId, differences } of items)
    for (const difference of differences) {
      const path = generalPath(difference.path);
      const group = groups.get(path) ?? { path, events: 0, examples: [], last: '' };
      groups.set(path, group);
      // An event counts once, even if several items of its list differ.
      if (group.last !== eventId) group.events++;
      group.last = eventId;
      if (group.examples.length < exampleLimit) group.examples.push({ eventId, ...difference });
    }
  return [...groups.values()].map(({ last: _, ...group }) => group).sort((a, b) => b.events - a.events);
}

const maxValueCharacters = 200;
// Control characters, and characters that reorder or hide text.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

const escapeUnsafe = (text: string): string =>
  text.replace(unsafe, one =>
    Array.from({ length: one.length }, (_, at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

/** A value of a difference on one line, as JSON. @param side the side that the value is from */
export function differenceText({ left, right, missing }: ReportedDifference, side: 'left' | 'right'): string {
  if (missing === side) return '(missing)';
  const text = escapeUnsafe(JSON.stringify(side === 'left' ? left : right) ?? 'null');
  return text.length > maxValueCharacters ? `${text.slice(0, maxValueCharacters)}…` : text;
}

/** For a terminal, an email, or a browser: values are in code spans, where no character has a special meaning. */
export function reportAsMarkdown({ job, paths, items, truncated }: ComparisonReport): string {
  const time = (at: number | null): string => (at === null ? 'not yet' : new Date(at).toISOString());
  const failed = items.filter(({ outcome }) => outcome === 'failed');
  const differing = items.filter(({ outcome }) => outcome === 'different');
  const lists = [
    ...(job.ignore.length > 0 ? [`- Not compared: ${job.ignore.map(code).join(', ')}`] : []),
    ...(job.compareHeaders.length > 0 ? [`- Compared headers: ${job.compareHeaders.map(code).join(', ')}`] : []),
  ];
  const lines = [
    `# Comparison ${job.id}`,
    '',
    `- Left: ${code(job.dest)}`,
    `- Right: ${code(job.dest2 ?? '')}`,
    ...(job.where === '' ? [] : [`- Filter: ${code(job.where)}`]),
    ...lists,
    `- Started ${time(job.createdAt)}, ended ${time(job.finishedAt)} (${job.state})`,
    `- ${job.matched} ${job.matched === 1 ? 'event' : 'events'}: ${job.same} the same, ${job.different} different, ${job.failed} failed, ${job.skipped} skipped`,
    ...(truncated ? [`- This report contains only the first ${items.length} events that differed or failed.`] : []),
    '',
    ...(paths.length === 0
      ? [job.same === 0 ? 'No responses were compared.' : 'No differences.', '']
      : ['## Differences by path', '', ...pathTable(paths), '']),
    ...(differing.length === 0 ? [] : ['## Events with different responses', '', ...differing.flatMap(itemLines), '']),
    ...(failed.length === 0 ? [] : ['## Failed events', '', ...failed.map(failureLine), '']),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

const pathTable = (paths: readonly PathGroup[]): string[] => [
  '| path | events | left | right | example |',
  '|---|---:|---|---|---|',
  ...paths.map(({ path, events, examples: [example] }) =>
    example
      ? `| ${cell(path)} | ${events} | ${cell(differenceText(example, 'left'))} | ${cell(differenceText(example, 'right'))} | ${example.eventId} |`
      : `| ${cell(path)} | ${events} | | | |`,
  ),
];

const itemLines = ({ eventId, differences }: ReportedItem): string[] => [
  `- ${eventId}`,
  ...differences.map(
    one => `  - ${code(one.path)}: ${code(differenceText(one, 'left'))} → ${code(differenceText(one, 'right'))}`,
  ),
];

const failureLine = ({ eventId, status, status2, error }: ReportedItem): string =>
  `- ${eventId}: left ${status ?? 'no response'}, right ${status2 ?? 'no response'}${error === null ? '' : `, ${code(error)}`}`;

/** A code span that the text cannot end. */
function code(text: string): string {
  const line = escapeUnsafe(text);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const isPadded = line === '' || /^[` ]|[` ]$/.test(line);
  return isPadded ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

/** In a table a bar ends even a code span. After a backslash it becomes `\u007c`, because programs interpret `\\|` differently. */
const cell = (text: string): string => code(text.replace(/(?<=\\)\|/g, '\\u007c').replace(/\|/g, '\\|'));
