/* `hooktape account …`: accounts and the plans of their teams. */
import type { PasswordReset } from '../features/accounts/service.ts';
import type { Parsed } from './arguments.ts';
import { parse } from './arguments.ts';
import { control } from './control.ts';
import { exitCodes, type Io, type Run, UsageError } from './io.ts';
import type { CreatedAccount, OperationName, SignInLink } from './operations.ts';
import { loadConfig } from './settings.ts';

type Account = { id: string; email: string; plan: string; createdAt: number; role?: string };

const password = { 'password-stdin': { type: 'boolean' } } as const;

export const runAccount: Run = async ([verb, ...rest], io) => {
  switch (verb) {
    case 'create': {
      const words = parse(rest, ['EMAIL'], { plan: { type: 'string' }, 'team-of': { type: 'string' }, ...password });
      const given = {
        email: words.positionals[0],
        plan: onePlan(words.option('plan')),
        teamOf: words.option('team-of'),
        password: words.flag('password-stdin') ? await readPassword(io) : undefined,
        passwordLink: !words.json,
      };
      // The result of account.create.
      const { passwordLink, ...created } = (await ask(io, words, 'account.create', given)) as CreatedAccount;
      const exitCode = show(io, words, created);
      if (passwordLink !== undefined) io.stderr(sayPasswordLink(created.email, passwordLink));
      return exitCode;
    }
    case 'list': {
      const words = parse(rest, []);
      return show(io, words, await ask(io, words, 'account.list', {}));
    }
    case 'plan': {
      const words = parse(rest, ['EMAIL', 'free|pro']);
      const [email, plan] = words.positionals;
      return show(io, words, await ask(io, words, 'account.plan', { email, plan: onePlan(plan) }));
    }
    case 'password': {
      const words = parse(rest, ['EMAIL'], { 'keep-keys': { type: 'boolean' }, ...password });
      if (!words.flag('password-stdin')) throw new UsageError('give the password on standard input: --password-stdin');
      const keepKeys = words.flag('keep-keys');
      const given = { email: words.positionals[0], password: await readPassword(io), keepKeys };
      // The result of account.resetPassword.
      const reset = (await ask(io, words, 'account.password', given)) as PasswordReset;
      if (!words.json) io.stderr(sayEnded(reset, keepKeys));
      return show(io, words, reset);
    }
    case 'two-factor': {
      const words = parse(rest, ['off', 'EMAIL']);
      const [verb, email] = words.positionals;
      if (verb !== 'off') throw new UsageError('give: account two-factor off EMAIL');
      return show(io, words, await ask(io, words, 'account.twoFactorOff', { email }));
    }
    case 'sign-in-link': {
      const words = parse(rest, ['EMAIL']);
      // The result of account.signInLink.
      const link = (await ask(io, words, 'account.signInLink', { email: words.positionals[0] })) as SignInLink;
      if (words.json) return show(io, words, link);
      io.stdout(`${link.url}\n`);
      io.stderr(`The link signs ${link.email} in once, within 15 minutes. Everyone who has it can use it.\n`);
      return exitCodes.done;
    }
    case 'oidc': {
      const words = parse(rest, ['off', 'EMAIL']);
      const [verb, email] = words.positionals;
      if (verb !== 'off') throw new UsageError('give: account oidc off EMAIL');
      return show(io, words, await ask(io, words, 'account.oidcOff', { email }));
    }
    case 'delete': {
      const words = parse(rest, ['EMAIL']);
      return show(io, words, await ask(io, words, 'account.delete', { email: words.positionals[0] }));
    }
    default:
      throw new UsageError(`unknown subcommand: account ${verb}`);
  }
};

const sayPasswordLink = (email: string, link: string): string =>
  `The account has no password yet. To sign in to the dashboard, set one in a browser (the link works once, for 72 hours):

  ${link}

or later on this machine: hooktape account password ${email} --password-stdin --keep-keys
`;

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

function sayEnded(reset: PasswordReset, keepKeys: boolean): string {
  const { sessionsEnded, grantsRevoked, keysRevoked, passkeys, oidc } = reset;
  const keys = keepKeys
    ? 'API keys stay valid (--keep-keys).'
    : `Revoked ${counted(keysRevoked, 'API key')} (use --keep-keys to keep them).`;
  const others = [...(passkeys > 0 ? [counted(passkeys, 'passkey')] : []), ...(oidc ? ['the provider'] : [])];
  const left = others.length > 0 ? `Still signs in with ${others.join(' and ')}.\n` : '';
  return `Ended ${counted(sessionsEnded, 'session')} and ${counted(grantsRevoked, 'app connection')}. ${keys}\n${left}`;
}

const ask = (io: Io, words: Parsed, name: OperationName, args: Record<string, unknown>): Promise<unknown> =>
  control(io, loadConfig(io, words.envFile).config, name, args);

function onePlan(given: string | undefined): string | undefined {
  if (given !== undefined && given !== 'free' && given !== 'pro') throw new UsageError('the plan must be free or pro');
  return given;
}

/** Standard input without its final line break. */
async function readPassword(io: Io): Promise<string> {
  return (await io.readStdin()).replace(/\r?\n$/, '');
}

function show(io: Io, { json }: Parsed, result: unknown): number {
  if (json) io.stdout(`${JSON.stringify(result)}\n`);
  else
    for (const one of [result].flat() as Account[])
      io.stdout(`${[one.id, one.email, one.plan, ...(one.role ? [one.role] : [])].join('\t')}\n`);
  return exitCodes.done;
}
