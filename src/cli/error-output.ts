/* Reports the error of a command on stderr, as text or with --json as one JSON line, and determines the exit code. */
import { ExpectedError } from '../core/errors.ts';
import { escapeUnsafe } from '../log.ts';
import { safeText } from './client/output.ts';
import { BacklogError, ConfigurationError, exitCodes, type Io, UnreachableError, UsageError } from './io.ts';
import { diskErrorMessage } from './system-errors.ts';

/** `details` are printed as further lines, and in JSON under their own name. */
type Failure = { exitCode: number; message: string; details?: { usage: string[] } | { problems: readonly string[] } };

/** @param usage the usage of the command; empty if the command is unknown */
export function reportError(error: unknown, { usage, json, io }: { usage: string; json: boolean; io: Io }): number {
  const failure = toFailure(error, usage);
  io.stderr(json ? asJson(failure) : asText(failure));
  return failure.exitCode;
}

function toFailure(error: unknown, usage: string): Failure {
  if (error instanceof UsageError)
    return {
      exitCode: exitCodes.usage,
      message: error.message,
      details: { usage: usage === '' ? [] : usage.split('\n') },
    };
  if (error instanceof ConfigurationError)
    return {
      exitCode: exitCodes.configuration,
      message: 'the configuration is invalid',
      details: { problems: error.problems },
    };
  return { exitCode: exitCodeOf(error), message: diskErrorMessage(error) ?? messageOf(error) };
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UnreachableError) return exitCodes.unreachable;
  return error instanceof BacklogError ? exitCodes.backlog : exitCodes.failed;
}

/** An unexpected error is a bug, so its stack is printed. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected = error instanceof ExpectedError || typeof (error as Error & { code?: unknown }).code === 'string';
  return isExpected || error.stack === undefined ? error.message : `${error.message}\n${error.stack}`;
}

/** Escapes the texts, because they may come from a file or the network. */
function asText({ message, details }: Failure): string {
  if (details === undefined) return safeText(`hooktape: ${message}\n`);
  if ('usage' in details) {
    const usage = details.usage.length > 0 ? details.usage : ['run hooktape help for a list of commands'];
    return safeText(`hooktape: ${message}\n\n${usage.join('\n')}\n`);
  }
  return safeText(`hooktape: ${message}:\n${details.problems.map(problem => `  ${problem}\n`).join('')}`);
}

const asJson = ({ message, details, exitCode }: Failure): string =>
  `${escapeUnsafe(JSON.stringify({ error: message, ...details, exitCode }))}\n`;
