/* `hooktape key …`: API keys of an account. */
import { parseDuration } from '../shared/units.ts';
import { parse } from './arguments.ts';
import { control } from './control.ts';
import { exitCodes, type Run, UsageError } from './io.ts';
import { loadConfig } from './settings.ts';

type Key = {
  id: string;
  name: string;
  last4: string;
  createdAt: number;
  lastUsedAt: number | null;
  app: { id: string; name: string } | null;
  expiresAt: number | null;
  readOnly: boolean;
};

const account = { account: { type: 'string' } } as const;
const creation = { ...account, 'expires-in': { type: 'string' }, 'read-only': { type: 'boolean' } } as const;

export const runKey: Run = async ([verb, ...rest], io) => {
  switch (verb) {
    case 'create': {
      const { positionals, option, flag, envFile, json } = parse(rest, ['NAME'], creation);
      const args = {
        name: positionals[0],
        account: required(option('account')),
        expiresIn: readExpiresIn(option('expires-in')),
        readOnly: flag('read-only'),
      };
      const created = (await control(io, loadConfig(io, envFile).config, 'key.create', args)) as { key: string };
      io.stdout(`${json ? JSON.stringify(created) : created.key}\n`);
      return exitCodes.done;
    }
    case 'list': {
      const { option, envFile, json } = parse(rest, [], account);
      const args = { account: required(option('account')) };
      const keys = (await control(io, loadConfig(io, envFile).config, 'key.list', args)) as Key[];
      if (json) io.stdout(`${JSON.stringify(keys)}\n`);
      else for (const one of keys) io.stdout(`${lineOf(one)}\n`);
      return exitCodes.done;
    }
    case 'revoke': {
      const { positionals, envFile, json } = parse(rest, ['ID']);
      const result = await control(io, loadConfig(io, envFile).config, 'key.revoke', { id: positionals[0] });
      io.stdout(json ? `${JSON.stringify(result)}\n` : `revoked ${positionals[0]}\n`);
      return exitCodes.done;
    }
    default:
      throw new UsageError(`unknown subcommand: key ${verb}`);
  }
};

const lineOf = (key: Key): string =>
  [
    key.id,
    key.name,
    `…${key.last4}`,
    usedAt(key),
    ...(key.app ? [`created by ${key.app.name}`] : []),
    ...(key.readOnly ? ['read-only'] : []),
    ...(key.expiresAt === null ? [] : [`expires ${new Date(key.expiresAt).toISOString()}`]),
  ].join('\t');

const usedAt = ({ lastUsedAt }: Key): string =>
  lastUsedAt === null ? 'never used' : `last used ${new Date(lastUsedAt).toISOString()}`;

function readExpiresIn(given: string | undefined): string | undefined {
  if (given !== undefined && !parseDuration(given))
    throw new UsageError('--expires-in must be a duration, such as 30d or 365d');
  return given;
}

function required(email: string | undefined): string {
  if (email === undefined) throw new UsageError('--account EMAIL is missing');
  return email;
}
