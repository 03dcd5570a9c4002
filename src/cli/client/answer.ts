/* `hooktape answer`: the custom answers of an endpoint. Its options are one rule, which replaces all rules that the endpoint has. */

import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { encodeBody } from '../../core/encoding/body-encoding.ts';
import type { AnswerRule } from '../../features/answers/model.ts';
import { presetNamed } from '../../shared/answer-presets.ts';
import { describeAnswer, describeCondition } from '../../shared/answer-rule.ts';
import { parseDuration } from '../../shared/units.ts';
import { type Arguments, type Io, type Run, UsageError } from '../io.ts';
import { wholeNumber } from '../parse-arguments.ts';
import { fileProblem } from '../system-errors.ts';
import { connect, whenRefused, wrongUsage } from './api.ts';
import { findEndpointId } from './find.ts';
import { printResult, safeLine } from './output.ts';

type Rules = { rules: readonly AnswerRule[] };

const ruleOptions = ['first', 'per', 'chance', 'status', 'body', 'delay', 'fault'];
const mostFirst = 1_000_000;

export const runAnswer: Run = async (given, io) => {
  const rules = await readRules(io, given);
  const api = connect(io, given);
  const path = `/api/endpoints/${encodeURIComponent(await findEndpointId(api, given.argument(0)))}/answers`;
  const byDefault = 'senders get the default answer (200)\n';
  if (given.flag('reset')) return printResult(io, given, await api.call('DELETE', path), byDefault);
  const answers = rules
    ? await api.call<Rules>('PUT', path, { body: rules }).catch(whenRefused(400, wrongUsage))
    : await api.call<Rules>('GET', path);
  printResult(io, given, answers, answers.rules.map(lineOf).join('') || byDefault);
};

/** @returns undefined if the command should show or remove the rules @throws UsageError */
async function readRules(io: Io, given: Arguments): Promise<Rules | undefined> {
  const isGiven = (name: string): boolean => given.option(name) !== undefined;
  const isRule = ruleOptions.some(isGiven);
  const when = given.option('when');
  const name = given.option('preset');
  if (given.flag('reset')) {
    if (isRule || when !== undefined || name !== undefined)
      throw new UsageError("--reset can't be combined with other options");
    return undefined;
  }
  if (name !== undefined) {
    if (isRule) throw new UsageError('--preset can be combined only with --when');
    const rules = presetNamed(name)?.rules ?? [];
    return { rules: rules.map(rule => ({ ...rule, ...(when !== undefined && { when }) })) };
  }
  if (isRule) return { rules: [await readRule(io, given)] };
  if (when !== undefined) throw new UsageError('--when needs another option, such as --status 503');
  return undefined;
}

async function readRule(io: Io, given: Arguments): Promise<AnswerRule> {
  const first = wholeNumber(given, 'first', { least: 1, most: mostFirst });
  const status = wholeNumber(given, 'status', { least: 200, most: 599 });
  const when = given.option('when');
  // `parseArguments` has already checked them against the choices in the usage line.
  const per = given.option('per') as AnswerRule['per'];
  const fault = given.option('fault') as AnswerRule['answer']['fault'];
  if (fault !== undefined && (status !== undefined || given.option('body') !== undefined))
    throw new UsageError("--fault can't be combined with --status or --body");
  const [chance, delayMs] = [readChance(given), readDelay(given)];
  if (status === undefined && fault === undefined && delayMs === undefined && given.option('body') === undefined)
    throw new UsageError('give --status, --body, --delay or --fault');
  return {
    ...(when !== undefined && { when }),
    ...(per !== undefined && { per }),
    ...(first !== undefined && { first }),
    ...(chance !== undefined && { chance }),
    answer: {
      ...(status !== undefined && { status }),
      ...(await readBody(io, given)),
      ...(delayMs !== undefined && { delayMs }),
      ...(fault !== undefined && { fault }),
    },
  };
}

function readChance(given: Arguments): number | undefined {
  const text = given.option('chance');
  if (text === undefined) return undefined;
  const chance = /^(\d+(\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (!(chance >= 0 && chance <= 1)) throw new UsageError('--chance must be a number from 0 to 1, such as 0.3');
  return chance;
}

function readDelay(given: Arguments): number | undefined {
  const text = given.option('delay');
  if (text === undefined) return undefined;
  const delayMs = parseDuration(text);
  if (delayMs === undefined) throw new UsageError('--delay must be a duration, such as 500ms or 10s');
  return delayMs;
}

async function readBody(
  io: Io,
  given: Arguments,
): Promise<Pick<AnswerRule['answer'], 'headers' | 'body' | 'bodyEncoding'>> {
  const file = given.option('body');
  if (file === undefined) return {};
  const bytes = file === '-' ? Buffer.from(await io.readStdin()) : readFile(file);
  return { headers: [['Content-Type', typeOf(bytes)]], ...encodeBody(bytes) };
}

function readFile(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`--body: ${file} cannot be read: ${fileProblem(error)}`);
  }
}

/** The content type of the answer. It matters because placeholders are escaped for JSON only if the type is JSON. */
function typeOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) return 'application/octet-stream';
  try {
    // A placeholder may also replace a number or an object.
    JSON.parse(
      Buffer.from(bytes)
        .toString()
        .replace(/\{\{[^{}]*\}\}/g, '0'),
    );
    return 'application/json';
  } catch {
    return 'text/plain; charset=utf-8';
  }
}

/** `flaky: the first 2 attempts of each delivery: 500` */
function lineOf(rule: AnswerRule): string {
  const text = `${rule.name ?? 'rule'}: ${describeCondition(rule)}: ${describeAnswer(rule)}`;
  return `${safeLine(rule.answer.body ? `${text}, with a body` : text)}\n`;
}
