/* `hooktape apply FILE`: creates the endpoints that a file declares and updates existing ones, all or nothing. */
import type { ApplyResult } from '../features/apply/model.ts';
import { type DescribedProblem, readEndpointsFile, UnreadableFileError } from './apply/endpoints-file.ts';
import { counted, safeLine } from './client/output.ts';
import { control } from './control.ts';
import { exitCodes, type Io, type Run, UsageError } from './io.ts';
import { loadConfig } from './settings.ts';

export const runApply: Run = async ({ argument, flag, envFile, json }, io) => {
  const file = argument(0);
  if (flag('force') && !flag('prune')) throw new UsageError('--force needs --prune');
  const { config } = loadConfig(io, envFile);
  const { document, problems, describe } = readOr(file, io);
  const request = { document, prune: flag('prune'), force: flag('force') };
  // If the command has found problems, the server only checks the file.
  const dryRun = flag('dry-run') || problems.length > 0;
  const result =
    document === null ? { problems: [] } : await control(io, config, 'endpoints.apply', { ...request, dryRun });
  const found = [...problems, ...('problems' in result ? result.problems : [])];
  if (found.length > 0) return refuse(io, file, inOrder(found.map(describe)), json);
  if ('pinned' in result) return refusePinned(io, result.pinned, json);
  if ('problems' in result) return exitCodes.failed;
  report(io, result, { json, dryRun });
  return exitCodes.done;
};

function readOr(file: string, { env }: Io) {
  try {
    return readEndpointsFile(file, env);
  } catch (error) {
    if (error instanceof UnreadableFileError) throw new UsageError(`cannot read ${file}: ${error.message}`);
    throw error;
  }
}

/** Sorts problems by their place, and removes duplicates: the server also finds problems that the command has found. */
export const inOrder = (problems: readonly DescribedProblem[]): DescribedProblem[] =>
  [...new Map(problems.map(one => [problemLine(one), one])).values()].sort(
    (a, b) => a.line - b.line || a.column - b.column,
  );

/** `line 4, endpoints[0].name: is missing` */
export const problemLine = ({ line, field, message }: DescribedProblem): string =>
  `line ${line}${field === '' ? '' : `, ${field}`}: ${message}`;

function refuse(io: Io, file: string, problems: readonly DescribedProblem[], json: boolean): number {
  const error = `${file}: ${counted(problems.length, 'problem')}; nothing was changed`;
  if (json) io.stderr(`${safeLine(JSON.stringify({ error, problems, exitCode: exitCodes.failed }))}\n`);
  else
    io.stderr(
      [`hooktape: ${error}:`, ...problems.map(one => `  ${problemLine(one)}`)]
        .map(line => `${safeLine(line)}\n`)
        .join(''),
    );
  return exitCodes.failed;
}

function refusePinned(io: Io, pinned: readonly string[], json: boolean): number {
  const error = `--prune would delete endpoints with pinned events; nothing was changed. Use --force to delete them: ${pinned.join(', ')}`;
  if (json) io.stderr(`${safeLine(JSON.stringify({ error, pinned, exitCode: exitCodes.failed }))}\n`);
  else io.stderr(`${safeLine(`hooktape: ${error}`)}\n`);
  return exitCodes.failed;
}

type Applied = Extract<ApplyResult, { created: unknown }>;

/** The number of endpoints of each kind. */
export const counts = ({ created, changed, removed, unchanged }: Applied) => ({
  created: created.length,
  changed: changed.length,
  removed: removed.length,
  unchanged,
});

function report(io: Io, applied: Applied, { json, dryRun }: { json: boolean; dryRun: boolean }): void {
  const total = counts(applied);
  if (json) {
    io.stdout(`${JSON.stringify(total)}\n`);
    return;
  }
  if (total.created + total.changed + total.removed === 0) {
    io.stdout('no changes\n');
    return;
  }
  const verb = (done: string, planned: string): string => (dryRun ? `would ${planned}` : done);
  const lines = [
    ...applied.created.map(({ name, url }) => (dryRun ? `would create ${name}` : `created ${name}: ${url}`)),
    ...applied.changed.map(({ name, fields }) => `${verb('changed', 'change')} ${name}: ${fields.join(', ')}`),
    ...applied.removed.map(({ name }) => `${verb('removed', 'remove')} ${name}`),
    `${dryRun ? 'dry run: ' : ''}${total.created} created, ${total.changed} changed, ${total.removed} removed, ${total.unchanged} unchanged`,
  ];
  io.stdout(lines.map(line => `${safeLine(line)}\n`).join(''));
}
