/* Code and issues. Each sample follows the example of the provider's documentation, which the platform's row links. */
import { type Fresh, jsonRequest, type Sample } from '../engine/sample.ts';

const bitbucketEvent = (fresh: Fresh, type: string, payload: object) =>
  jsonRequest(
    {
      'User-Agent': 'Bitbucket-Webhooks/2.0',
      'X-Attempt-Number': '1',
      'X-Event-Key': type,
      'X-Event-Time': fresh.iso(-1),
      'X-Hook-UUID': fresh.uuid(),
      'X-Request-UUID': fresh.uuid(),
    },
    {
      actor: {
        type: 'user',
        display_name: 'Emma Page',
        nickname: 'evzijst',
        uuid: '{1c08e6b1-6cf0-4e4e-b1ac-6a2a0e1f2c3d}',
      },
      repository: {
        type: 'repository',
        full_name: 'team_name/repo_name',
        name: 'repo_name',
        uuid: '{673a6070-3421-46c9-9d48-90745f7bfe8e}',
        is_private: true,
      },
      ...payload,
    },
  );

export const bitbucket: readonly Sample[] = [
  {
    name: 'repo:push',
    title: 'Push',
    build: fresh => {
      const hash = fresh.hex(40);
      return bitbucketEvent(fresh, 'repo:push', {
        push: {
          changes: [
            {
              new: {
                type: 'branch',
                name: 'main',
                target: { type: 'commit', hash, message: 'new commit message\n', date: fresh.iso(-20) },
              },
              old: { type: 'branch', name: 'main', target: { type: 'commit', hash: fresh.hex(40) } },
              created: false,
              forced: false,
              closed: false,
              commits: [{ type: 'commit', hash, message: 'commit message\n' }],
              truncated: false,
            },
          ],
        },
      });
    },
  },
  {
    name: 'pullrequest:created',
    title: 'Pull request created',
    build: fresh =>
      bitbucketEvent(fresh, 'pullrequest:created', {
        pullrequest: {
          id: 1,
          title: 'Title of pull request',
          description: 'Description of pull request',
          state: 'OPEN',
          source: { branch: { name: 'branch2' }, commit: { hash: fresh.hex(12) } },
          destination: { branch: { name: 'main' }, commit: { hash: fresh.hex(12) } },
          created_on: fresh.iso(-2),
          updated_on: fresh.iso(-2),
        },
      }),
  },
];

const linearEvent = (fresh: Fresh, type: string, data: object) =>
  jsonRequest(
    {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Linear-Webhook',
      'Linear-Delivery': fresh.uuid(),
      'Linear-Event': type,
    },
    {
      action: 'create',
      type,
      createdAt: fresh.iso(-1),
      actor: { id: 'b5ea5f1f-8adc-4f52-b4bd-ab4e84cf51ba', type: 'user', name: 'Sara Lind', email: 'sara@example.com' },
      organizationId: '9cd50dcb-9b2b-42e6-8f9e-3f2c8f2b2d0a',
      webhookTimestamp: fresh.now,
      webhookId: '000042e3-d123-4980-b49f-8e140eef9329',
      data,
    },
  );

export const linear: readonly Sample[] = [
  {
    name: 'Issue',
    title: 'Issue created',
    build: fresh =>
      linearEvent(fresh, 'Issue', {
        id: fresh.uuid(),
        identifier: 'ENG-42',
        number: 42,
        title: 'Webhook handler times out on large payloads',
        priority: 2,
        priorityLabel: 'High',
        state: { id: fresh.uuid(), name: 'Todo', type: 'unstarted', color: '#e2e2e2' },
        team: { id: fresh.uuid(), key: 'ENG', name: 'Engineering' },
        createdAt: fresh.iso(-1),
        updatedAt: fresh.iso(-1),
        url: 'https://linear.app/example/issue/ENG-42',
      }),
  },
  {
    name: 'Comment',
    title: 'Comment created',
    build: fresh =>
      linearEvent(fresh, 'Comment', {
        id: fresh.uuid(),
        body: 'Indeed, I think this is definitely an improvement.',
        issueId: fresh.uuid(),
        issue: { id: fresh.uuid(), identifier: 'ENG-42', title: 'Webhook handler times out on large payloads' },
        createdAt: fresh.iso(-1),
        updatedAt: fresh.iso(-1),
      }),
  },
];

const sentryEvent = (fresh: Fresh, resource: string, action: string, data: object) =>
  jsonRequest(
    {
      'User-Agent': 'sentry-apps',
      'Request-ID': fresh.hex(32),
      'Sentry-Hook-Resource': resource,
      'Sentry-Hook-Timestamp': String(fresh.seconds),
    },
    {
      action,
      actor: { type: 'application', id: 'sentry', name: 'Sentry' },
      data,
      installation: { uuid: '7a485448-a9e2-4c85-8a3c-4f44175783c9' },
    },
  );

const sentryIssue = (fresh: Fresh) => ({
  id: fresh.digits(10),
  shortId: 'IPE-1',
  title: 'ReferenceError: blooopy is not defined',
  culprit: '?(runner)',
  level: 'error',
  status: 'unresolved',
  platform: 'javascript',
  project: { id: '1', name: 'ipe', slug: 'ipe', platform: 'javascript' },
  count: '1',
  userCount: 1,
  firstSeen: fresh.iso(-5),
  lastSeen: fresh.iso(-5),
});

export const sentry: readonly Sample[] = [
  {
    name: 'issue.created',
    title: 'Issue created',
    build: fresh => sentryEvent(fresh, 'issue', 'created', { issue: sentryIssue(fresh) }),
  },
  {
    name: 'event_alert.triggered',
    title: 'Alert triggered',
    build: fresh =>
      sentryEvent(fresh, 'event_alert', 'triggered', {
        event: {
          event_id: fresh.hex(32),
          issue_id: fresh.digits(10),
          title: 'ReferenceError: heck is not defined',
          level: 'error',
          platform: 'javascript',
          project: 1,
          timestamp: fresh.now / 1000,
        },
        triggered_rule: 'Very Important Alert Rule!',
      }),
  },
];

export const jira: readonly Sample[] = [
  {
    name: 'jira:issue_created',
    title: 'Issue created',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'Atlassian Webhook HTTP Client', 'X-Atlassian-Webhook-Identifier': fresh.uuid() },
        {
          timestamp: fresh.now,
          webhookEvent: 'jira:issue_created',
          issue_event_type_name: 'issue_created',
          user: { accountId: '99:27935d01-92a7-4687-8272-a9b8d3b2ae2e', displayName: 'Bryan Rollins', active: true },
          issue: {
            id: fresh.digits(5),
            key: 'JRA-20002',
            fields: {
              summary: 'I feel the need for speed',
              created: fresh.iso(-1),
              labels: ['UI', 'dialogue', 'move'],
              priority: { id: '3', name: 'Minor' },
              issuetype: { id: '10001', name: 'Story' },
              project: { id: '10000', key: 'JRA', name: 'Jira' },
              status: { id: '10000', name: 'To Do' },
            },
          },
        },
      ),
  },
];
