/* Pending invitations: listed, sent again, withdrawn. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openBrowser } from '../../testing/browser.ts';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { Invitation, PendingInvitation } from './model.ts';

const clock = holdClock();
const hour = 3_600_000;
const path = '/api/team/invitations';
let server: TestServer;
let ada: TestAccount;
let cleo: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount('ada@example.com');
  cleo = await server.createAccount('cleo@example.com', { teamOf: 'ada@example.com' });
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

const invite = (email: string) => ada.json<Invitation>(201, 'POST', path, { email });
const listOf = async (caller: TestAccount) =>
  (await caller.json<{ invitations: PendingInvitation[] }>(200, 'GET', path)).invitations;
const statusOf = async ({ url }: { url: string }) =>
  (await openBrowser(server).call('GET', `/api/invitations/${url.split('=')[1]}`)).status;
const withdrawAll = async () => {
  for (const { id } of await listOf(ada)) await ada.json(200, 'DELETE', `${path}/${id}`);
};

describe('GET /api/team/invitations', () => {
  test('lists who was invited by whom, when, and until when, without the link; expired and accepted ones are left out', async () => {
    const first = await invite('first@example.com');
    clock.advance(hour);
    const second = await invite('second@example.com');
    const { url: _, ...shown } = second;
    expect(await listOf(ada)).toEqual([
      shown,
      {
        id: first.id,
        email: 'first@example.com',
        invitedBy: 'ada@example.com',
        createdAt: clock.now() - hour,
        expiresAt: clock.now() + 71 * hour,
      },
    ]);
    expect(await listOf(bob)).toEqual([]);
    await openBrowser(server).json(201, 'POST', `/api/invitations/${second.url.split('=')[1]}`, {
      password: 'a good long password',
    });
    expect((await listOf(ada)).map(({ id }) => id)).toEqual([first.id]);
    clock.advance(71 * hour);
    expect(await listOf(ada)).toEqual([]);
  });

  test('403 for a member, who can neither send again nor withdraw', async () => {
    const { id, url } = await invite('guest@example.com');
    const calls = [
      ['GET', path],
      ['POST', `${path}/${id}/resend`],
      ['DELETE', `${path}/${id}`],
    ] as const;
    for (const [method, at] of calls) await cleo.json(403, method, at);
    expect(await statusOf({ url })).toBe(200);
    await withdrawAll();
  });
});

describe('POST /api/team/invitations/{id}/resend', () => {
  test('makes a new link that lasts three days; the old one stops working at once', async () => {
    const first = await invite('again@example.com');
    clock.advance(70 * hour);
    const second = await ada.json<Invitation>(200, 'POST', `${path}/${first.id}/resend`);
    expect(second).toEqual({
      ...first,
      url: expect.stringMatching(/^http:\/\/localhost:4665\/login\?invitation=[0-9a-z]{52}$/),
      createdAt: clock.now(),
      expiresAt: clock.now() + 72 * hour,
    } as Invitation);
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
    expect(await listOf(ada)).toHaveLength(1);
    await withdrawAll();
  });

  test('404 for an expired one and for one of another team, whose link stays', async () => {
    const { id, url } = await invite('late@example.com');
    await bob.json(404, 'POST', `${path}/${id}/resend`);
    await bob.json(404, 'DELETE', `${path}/${id}`);
    expect(await statusOf({ url })).toBe(200);
    clock.advance(72 * hour);
    await ada.json(404, 'POST', `${path}/${id}/resend`);
  });
});

test('DELETE /api/team/invitations/{id} ends the link at once, and a second call is 404', async () => {
  const invitation = await invite('never@example.com');
  expect(await ada.json(200, 'DELETE', `${path}/${invitation.id}`)).toEqual({ ok: true });
  expect(await statusOf(invitation)).toBe(404);
  expect(await listOf(ada)).toEqual([]);
  await ada.json(404, 'DELETE', `${path}/${invitation.id}`);
});
