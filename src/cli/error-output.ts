/* From whatever stopped a command to words on stderr, one JSON line of them with --json, and the exit code. */
import { AppError } from '../core/errors.ts';
import { LockedError } from '../db/files/lock.ts';
import { SchemaError } from '../db/migrate.ts';
import { SecretError } from '../db/secret-check.ts';
import { escapeUnsafe } from '../log.ts';
import { diskErrorMessage } from './disk-errors.ts';
import { ConfigurationError, exitCodes, type Io, OperationError, UsageError } from './io.ts';

/** `details` are further lines, for JSON under their own name. */
type Failure = { exitCode: number; message: string; details?: { usage: string[] } | { problems: readonly string[] } };

/** @param usage of the command that was meant; empty when that is not known */
export function reportError(error: unknown, { usage, json, io }: { usage: string; json: boolean; io: Io }): number {
  const failure = understand(error, usage);
  io.stderr(json ? asJson(failure) : asText(failure));
  return failure.exitCode;
}

function understand(error: unknown, usage: string): Failure {
  if (error instanceof UsageError)
    return {
      exitCode: exitCodes.usage,
      message: error.message,
      details: { usage: usage === '' ? [] : usage.split('\n') },
    };
  if (error instanceof ConfigurationError)
    return {
      exitCode: exitCodes.configuration,
      message: 'the configuration is wrong',
      details: { problems: error.problems },
    };
  return { exitCode: exitCodes.failed, message: diskErrorMessage(error) ?? wordsOf(error) };
}

/** An error that nobody foresaw keeps its stack: somebody has to find it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isForeseen =
    [LockedError, SchemaError, SecretError, OperationError, AppError].some(kind => error instanceof kind) ||
    typeof (error as Error & { code?: unknown }).code === 'string';
  return isForeseen || error.stack === undefined ? error.message : `${error.message}\n${error.stack}`;
}

/** Words may come from a file or the network; only line breaks are left as they are. */
const oneByOne = (text: string): string => text.split('\n').map(escapeUnsafe).join('\n');

function asText({ message, details }: Failure): string {
  if (details === undefined) return oneByOne(`hooktape: ${message}\n`);
  if ('usage' in details) {
    const usage = details.usage.length > 0 ? details.usage : ['hooktape help lists the commands'];
    return oneByOne(`hooktape: ${message}\n\n${usage.join('\n')}\n`);
  }
  return oneByOne(`hooktape: ${message}:\n${details.problems.map(problem => `  ${problem}\n`).join('')}`);
}

const asJson = ({ message, details, exitCode }: Failure): string =>
  `${escapeUnsafe(JSON.stringify({ error: message, ...details, exitCode }))}\n`;
