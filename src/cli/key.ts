/* `hooktape key …`: API keys of an account. */
import type { ApiKey } from '../features/keys/model.ts';
import { parseDuration } from '../shared/units.ts';
import { printJson, printResult } from './client/output.ts';
import { ask } from './control.ts';
import { type Run, UsageError } from './io.ts';

export const runKey: Run = async (given, io) => {
  const account = given.option('account');
  switch (given.verb) {
    case 'create': {
      const expiresIn = readExpiresIn(given.option('expires-in'));
      const options = { name: given.argument(0), account, expiresIn, readOnly: given.flag('read-only') };
      const created = await ask(io, given, 'key.create', options);
      return printResult(io, given, created, `${created.key}\n`);
    }
    case 'list': {
      const keys = await ask(io, given, 'key.list', { account });
      if (given.json) return printJson(io, keys);
      for (const one of keys) io.stdout(`${lineOf(one)}\n`);
      return;
    }
    default: {
      const id = given.argument(0);
      return printResult(io, given, await ask(io, given, 'key.revoke', { id }), `revoked ${id}\n`);
    }
  }
};

const lineOf = (key: ApiKey): string =>
  [
    key.id,
    key.name,
    `…${key.last4}`,
    usedAt(key),
    ...(key.app ? [`created by ${key.app.name}`] : []),
    ...(key.readOnly ? ['read-only'] : []),
    ...(key.expiresAt === null ? [] : [`expires ${new Date(key.expiresAt).toISOString()}`]),
  ].join('\t');

const usedAt = ({ lastUsedAt }: ApiKey): string =>
  lastUsedAt === null ? 'never used' : `last used ${new Date(lastUsedAt).toISOString()}`;

function readExpiresIn(given: string | undefined): string | undefined {
  if (given !== undefined && !parseDuration(given))
    throw new UsageError('--expires-in must be a duration, such as 30d or 365d');
  return given;
}
