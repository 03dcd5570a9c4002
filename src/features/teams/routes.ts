/* The team: members, invitations, and joining by one. */
import { Elysia } from 'elysia';
import { clientInfo } from '../../http/client-info.ts';
import type { SessionCookie } from '../../http/cookie.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { IdParams, Ok, responses } from '../../http/schemas.ts';
import type { SessionsService } from '../sessions/service.ts';
import { Acceptance, Invitation, NewInvitation, OpenInvitation, Team, TokenParams } from './model.ts';
import type { TeamsService } from './service.ts';

const tags = ['Team'];
const open: Record<string, string[]>[] = [];

export type TeamsRoutesOptions = {
  gate: Gate;
  cookie: SessionCookie;
  teams: TeamsService;
  sessions: Pick<SessionsService, 'start'>;
};

export const teamsRoutes = ({ gate, cookie, teams, sessions }: TeamsRoutesOptions) =>
  new Elysia()
    .get('/api/team', ({ request }) => teams.team(gate.principal(request)), {
      response: responses({ 200: Team }),
      detail: {
        operationId: 'getTeam',
        summary: 'The team, its plan and what the plan allows',
        description: 'Every member may read it; only an owner may change it.',
        tags,
      },
    })
    .post(
      '/api/team/invitations',
      async ({ request, body, status }) => status(201, await teams.invite(gate.principal(request), body.email)),
      {
        ...jsonInput(NewInvitation),
        response: responses({ 201: Invitation }, 400, 403, 409),
        detail: {
          operationId: 'invite',
          summary: 'A link for a new member; for an owner only',
          description:
            'Nothing is sent: give the link to the person yourself. It works once, for a new account with this address.',
          tags,
        },
      },
    )
    .delete(
      '/api/team/members/:id',
      async ({ request, params }) => {
        await teams.removeMember(gate.principal(request), params.id);
        return { ok: true };
      },
      {
        params: IdParams,
        response: responses({ 200: Ok }, 400, 403, 404),
        detail: {
          operationId: 'removeMember',
          summary: 'Remove a member; for an owner only',
          description: 'The account is deleted, its keys, sessions and connected apps end at once.',
          tags,
        },
      },
    )
    .get('/api/invitations/:token', ({ params }) => teams.invitation(params.token), {
      params: TokenParams,
      response: responses({ 200: OpenInvitation }, 404),
      detail: {
        operationId: 'getInvitation',
        summary: 'Who invites whom',
        description: 'What the page behind the link shows before it is accepted.',
        tags,
        security: open,
      },
    })
    .post(
      '/api/invitations/:token',
      async ({ request, params, body, set, status }) => {
        const account = await teams.accept(params.token, body.password);
        set.headers['set-cookie'] = cookie.set(await sessions.start(account, clientInfo(gate, request)));
        return status(201, { ok: true });
      },
      {
        ...jsonInput(Acceptance),
        params: TokenParams,
        response: responses({ 201: Ok }, 400, 404, 409),
        detail: {
          operationId: 'acceptInvitation',
          summary: 'Join the team; the answer sets the session cookie',
          description: 'Makes the account and signs it in. The link is used up.',
          tags,
          security: open,
        },
      },
    );
