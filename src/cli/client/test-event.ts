/* `hooktape test-event`: a sample delivery of a platform, generated and stored by the server. */
import type { TestEvent, TestEventInput } from '../../features/test-events/model.ts';
import { type Arguments, type Io, type Run, UsageError } from '../io.ts';
import { variable } from '../parse-arguments.ts';
import { connect } from './api.ts';
import { findEndpoint } from './find.ts';
import { printResult, safeLine } from './output.ts';

export const runTestEvent: Run = async (given, io) => {
  const [sample, secret] = [given.option('sample'), readSecret(io, given)];
  const api = connect(io, given);
  const { id, name } = await findEndpoint(api, given.argument(0));
  const body: TestEventInput = {
    platform: given.argument(1),
    ...(sample !== undefined && { sample }),
    ...(secret !== undefined && { secret }),
  };
  const made = await api.call<TestEvent>('POST', `/api/endpoints/${encodeURIComponent(id)}/test-events`, { body });
  printResult(io, given, made, `${safeLine(made.eventId)}\n`);
  if (!given.json)
    io.stderr(`Sent ${safeLine(made.sample)} to ${safeLine(name)} (${made.signed ? 'signed' : 'unsigned'}).\n`);
};

function readSecret(io: Io, given: Arguments): string | undefined {
  const name = given.option('secret-env');
  const secret = name === undefined ? undefined : variable(io, name);
  if (name !== undefined && secret === undefined)
    throw new UsageError(`--secret-env: the environment variable ${name} is not set`);
  return secret;
}
