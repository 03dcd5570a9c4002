/* Builds, deployments and incidents. Each sample follows the example of the provider's documentation, which the platform's row links. */
import { type Fresh, formRequest, jsonRequest, type Sample } from '../engine/sample.ts';

const vercelEvent = (fresh: Fresh, type: string, more: object = {}) => {
  const id = `dpl_${fresh.text(28)}`;
  return jsonRequest(
    { 'User-Agent': 'Vercel Webhooks' },
    {
      type,
      id: `uev_${fresh.text(24)}`,
      createdAt: fresh.now,
      region: null,
      payload: {
        team: { id: 'team_a5j8lnKpYq2Ze3XbWc4VdRtS' },
        user: { id: 'f3YzAbCdEfGhIjKlMnOpQrSt' },
        deployment: {
          id,
          name: 'my-app',
          url: `my-app-${fresh.hex(9)}-example.vercel.app`,
          meta: { githubCommitRef: 'main', githubCommitSha: fresh.hex(40), githubCommitMessage: 'Fix the header' },
        },
        links: { deployment: `https://vercel.com/example/my-app/${id}`, project: 'https://vercel.com/example/my-app' },
        target: 'production',
        project: { id: 'prj_Rej9WaMNRbffqWMmOwLyJz2xWdpx' },
        plan: 'pro',
        regions: ['iad1'],
        ...more,
      },
    },
  );
};

export const vercel: readonly Sample[] = [
  {
    name: 'deployment.succeeded',
    title: 'Deployment succeeded',
    build: fresh => vercelEvent(fresh, 'deployment.succeeded'),
  },
  { name: 'deployment.error', title: 'Deployment failed', build: fresh => vercelEvent(fresh, 'deployment.error') },
];

export const pagerduty: readonly Sample[] = [
  {
    name: 'incident.triggered',
    title: 'Incident triggered',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'PagerDuty-Webhook/V3.0', 'X-Webhook-Id': fresh.uuid(), 'X-Webhook-Subscription': 'PWHSUB1' },
        {
          event: {
            id: `01${fresh.text(24).toUpperCase()}`,
            event_type: 'incident.triggered',
            resource_type: 'incident',
            occurred_at: fresh.iso(-1),
            agent: { id: 'PLH1HKV', type: 'user_reference', summary: 'Tenex Engineer' },
            data: {
              id: `P${fresh.text(13).toUpperCase()}`,
              type: 'incident',
              number: fresh.number(4),
              status: 'triggered',
              title: 'A little bump in the road',
              html_url: 'https://acme.pagerduty.com/incidents/PGR0VU2',
              service: { id: 'PF9KMXH', type: 'service_reference', summary: 'API Service' },
              urgency: 'high',
              created_at: fresh.iso(-2),
            },
          },
        },
      ),
  },
];

/** Without the signature, for which Travis CI has a private key. */
export const travis: readonly Sample[] = [
  {
    name: 'passed',
    title: 'Build passed',
    build: fresh =>
      formRequest(
        { 'User-Agent': 'Travis CI Notifications', 'Travis-Repo-Slug': 'octocat/hello-world' },
        {
          payload: JSON.stringify({
            id: fresh.number(9),
            number: '42',
            state: 'passed',
            type: 'push',
            status_message: 'Passed',
            branch: 'main',
            commit: fresh.hex(40),
            message: 'Fix all the bugs',
          }),
        },
      ),
  },
];
