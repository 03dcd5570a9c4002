/* /api/me/totp: turns one-time codes on and off. */
import { routesOf } from '../../http/authenticated.ts';
import { clientInfo } from '../../http/client-info.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, Ok, RecentSignInError, responses } from '../../http/schemas.ts';
import { RecoveryCodes, SecondFactor, TotpCode, TotpSecret } from './model.ts';
import type { TotpService } from './service.ts';

const permission = 'signIn';
const security = [{ session: [] }];
const recent = 'Needs a session with a sign-in within the last 10 minutes.';

export const totpRoutes = ({ gate, totp }: { gate: Gate; totp: TotpService }) =>
  routesOf(gate, '/api/me/totp', 'Account')
    .post(
      '',
      ({ principal, set }) => {
        set.headers['cache-control'] = 'no-store';
        return totp.start(principal);
      },
      {
        response: { ...responses({ 200: TotpSecret }, 409), 403: RecentSignInError },
        ...operation({
          operationId: 'startTotp',
          permission,
          security,
          audit: null,
          summary: 'Make a secret for one-time codes',
          description: `${recent} Codes are asked for once the secret is confirmed. 409 while they are on.`,
        }),
      },
    )
    .post(
      '/confirm',
      async ({ principal, request, body, set }) => {
        set.headers['cache-control'] = 'no-store';
        const { sourceIp } = clientInfo(request, principal);
        return { recoveryCodes: await totp.confirm(principal, body.code, sourceIp) };
      },
      {
        ...jsonInput(TotpCode),
        response: { ...responses({ 200: RecoveryCodes }, 400, 409), 403: RecentSignInError },
        ...operation({
          operationId: 'confirmTotp',
          permission,
          security,
          audit: { action: 'totp.enabled', type: 'account' },
          summary: 'Turn one-time codes on with a code of the new secret',
          description: `${recent} From then on a sign-in with the password also needs a code. A wrong code is 400 and counts as a wrong password.`,
        }),
      },
    )
    .delete(
      '',
      ({ principal, request, body }) => done(totp.turnOff(principal, body, clientInfo(request, principal).sourceIp)),
      {
        ...jsonInput(SecondFactor),
        response: { ...responses({ 200: Ok }, 400, 404), 403: RecentSignInError },
        ...operation({
          operationId: 'turnOffTotp',
          permission,
          security,
          audit: { action: 'totp.disabled', type: 'account' },
          summary: 'Turn one-time codes off with a code or a recovery code',
          description: `${recent} A wrong code is 400 and counts as a wrong password.`,
        }),
      },
    );
