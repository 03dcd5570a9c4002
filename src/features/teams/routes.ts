/* /api/team and /api/invitations */
import { Elysia } from 'elysia';
import { optionallyAuthenticated, routesOf } from '../../http/authenticated.ts';
import { clientInfo } from '../../http/client-info.ts';
import type { SessionCookie } from '../../http/cookie.ts';
import type { Gate } from '../../http/gate.ts';
import { jsonInput } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { done, IdParams, Ok, responses } from '../../http/schemas.ts';
import type { SessionsService } from '../sessions/service.ts';
import {
  Acceptance,
  Invitation,
  InvitationInput,
  OpenInvitation,
  PendingInvitationList,
  Team,
  TokenParams,
} from './model.ts';
import type { TeamsService } from './service.ts';

export type TeamsRoutesOptions = {
  gate: Gate;
  cookie: SessionCookie;
  teams: TeamsService;
  sessions: Pick<SessionsService, 'startFirst'>;
};

export const teamsRoutes = (options: TeamsRoutesOptions) =>
  new Elysia().use(teamRoutes(options)).use(invitationRoutes(options));

const teamRoutes = ({ gate, teams }: TeamsRoutesOptions) =>
  routesOf(gate, '/api/team', 'Team')
    .get('', ({ principal }) => teams.team(principal), {
      response: responses({ 200: Team }),
      ...operation({
        operationId: 'getTeam',
        permission: 'team',
        summary: 'The team, its plan and the limits of the plan',
        description: 'Every member may read it; only an owner may change it.',
      }),
    })
    .post(
      '/invitations',
      async ({ principal, body, status }) => status(201, await teams.invite(principal, body.email)),
      {
        ...jsonInput(InvitationInput),
        response: responses({ 201: Invitation }, 400, 403, 409),
        ...operation({
          operationId: 'invite',
          permission: 'team',
          audit: 'invitation.created',
          summary: 'Create an invitation link for a new member; for an owner only',
          description:
            'Nothing is sent: give the link to the person yourself. It works once, for a new account with this email address.',
        }),
      },
    )
    .delete('/members/:id', ({ principal, params }) => done(teams.removeMember(principal, params.id)), {
      params: IdParams,
      response: responses({ 200: Ok }, 400, 403, 404),
      ...operation({
        operationId: 'removeMember',
        permission: 'team',
        audit: { action: 'member.removed', type: 'account' },
        summary: 'Remove a member; for an owner only',
        description: 'Deletes the account. Its keys, sessions and connected apps end at once.',
      }),
    })
    .get('/invitations', async ({ principal }) => ({ invitations: await teams.pendingInvitations(principal) }), {
      response: responses({ 200: PendingInvitationList }, 403),
      ...operation({
        operationId: 'listInvitations',
        permission: 'team',
        summary: 'Invitations that were not accepted yet; for an owner only',
        description:
          'Newest first, without their links, which are shown only when they are made. Expired ones are left out.',
      }),
    })
    .post('/invitations/:id/resend', ({ principal, params }) => teams.renewInvitation(principal, params.id), {
      params: IdParams,
      response: responses({ 200: Invitation }, 403, 404),
      ...operation({
        operationId: 'resendInvitation',
        permission: 'team',
        audit: 'invitation.renewed',
        summary: 'Make a new link for an invitation; for an owner only',
        description:
          'The earlier link stops working at once, and the time until it expires begins anew. Nothing is sent: give the link to the person yourself.',
      }),
    })
    .delete('/invitations/:id', ({ principal, params }) => done(teams.withdrawInvitation(principal, params.id)), {
      params: IdParams,
      response: responses({ 200: Ok }, 403, 404),
      ...operation({
        operationId: 'withdrawInvitation',
        permission: 'team',
        audit: 'invitation.withdrawn',
        summary: 'Withdraw an invitation; for an owner only',
        description: 'Its link stops working at once.',
      }),
    });

const invitationRoutes = ({ gate, cookie, teams, sessions }: TeamsRoutesOptions) =>
  new Elysia({ prefix: '/api/invitations', tags: ['Team'] })
    .use(optionallyAuthenticated(gate))
    .get('/:token', ({ params }) => teams.invitation(params.token), {
      params: TokenParams,
      response: responses({ 200: OpenInvitation }, 404),
      ...operation({
        operationId: 'getInvitation',
        permission: 'team',
        summary: 'Who is invited, and by whom',
        description: 'For the page that asks the person to accept the invitation.',
        security: [],
      }),
    })
    .post(
      '/:token',
      async ({ principal, request, params, body, set, status }) => {
        const account = await teams.accept(params.token, body.password);
        const client = clientInfo(request, principal);
        set.headers['set-cookie'] = cookie.set(await sessions.startFirst(account, client));
        return status(201, { ok: true });
      },
      {
        ...jsonInput(Acceptance),
        params: TokenParams,
        response: responses({ 201: Ok }, 400, 404, 409),
        ...operation({
          operationId: 'acceptInvitation',
          permission: 'team',
          audit: { action: 'invitation.accepted', type: 'account' },
          summary: 'Join the team; the response sets the session cookie',
          description:
            'Creates the account and signs it in. The invitation is used up. With the link that `hooktape account create` prints, it sets the first password of that account.',
          security: [],
        }),
      },
    );
