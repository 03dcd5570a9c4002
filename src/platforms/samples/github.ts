/* https://docs.github.com/webhooks/webhook-events-and-payloads */
import { type Fresh, jsonRequest, type Sample, type SampleRequest } from '../engine/sample.ts';

const event = (fresh: Fresh, type: string, payload: object): SampleRequest =>
  jsonRequest(
    {
      Accept: '*/*',
      'User-Agent': `GitHub-Hookshot/${fresh.hex(7)}`,
      'X-GitHub-Delivery': fresh.uuid(),
      'X-GitHub-Event': type,
      'X-GitHub-Hook-ID': fresh.digits(9),
      'X-GitHub-Hook-Installation-Target-ID': '1296269',
      'X-GitHub-Hook-Installation-Target-Type': 'repository',
    },
    payload,
  );

const octocat = {
  login: 'octocat',
  id: 583231,
  node_id: 'MDQ6VXNlcjU4MzIzMQ==',
  avatar_url: 'https://avatars.githubusercontent.com/u/583231?v=4',
  html_url: 'https://github.com/octocat',
  type: 'User',
  site_admin: false,
};
const repository = {
  id: 1296269,
  node_id: 'MDEwOlJlcG9zaXRvcnkxMjk2MjY5',
  name: 'Hello-World',
  full_name: 'octocat/Hello-World',
  private: false,
  owner: octocat,
  html_url: 'https://github.com/octocat/Hello-World',
  description: 'My first repository on GitHub!',
  fork: false,
  default_branch: 'main',
};
const common = { repository, sender: octocat };

const commit = (fresh: Fresh, id: string) => ({
  id,
  tree_id: fresh.hex(40),
  distinct: true,
  message: 'Fix all the bugs',
  timestamp: fresh.iso(-30),
  url: `https://github.com/octocat/Hello-World/commit/${id}`,
  author: { name: 'The Octocat', email: 'octocat@github.com', username: 'octocat' },
  committer: { name: 'The Octocat', email: 'octocat@github.com', username: 'octocat' },
  added: [],
  removed: [],
  modified: ['README.md'],
});

const push = (fresh: Fresh) => {
  const before = fresh.hex(40);
  const after = fresh.hex(40);
  const head = commit(fresh, after);
  return {
    ref: 'refs/heads/main',
    before,
    after,
    created: false,
    deleted: false,
    forced: false,
    base_ref: null,
    compare: `https://github.com/octocat/Hello-World/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: [head],
    head_commit: head,
    pusher: { name: 'octocat', email: 'octocat@github.com' },
    ...common,
  };
};

const pullRequest = (fresh: Fresh) => ({
  action: 'opened',
  number: 1347,
  pull_request: {
    id: fresh.number(9),
    number: 1347,
    state: 'open',
    locked: false,
    title: 'Amazing new feature',
    user: octocat,
    body: 'Please pull these awesome changes in!',
    html_url: 'https://github.com/octocat/Hello-World/pull/1347',
    created_at: fresh.iso(-2),
    updated_at: fresh.iso(-2),
    closed_at: null,
    merged_at: null,
    draft: false,
    merged: false,
    head: { label: 'octocat:new-topic', ref: 'new-topic', sha: fresh.hex(40) },
    base: { label: 'octocat:main', ref: 'main', sha: fresh.hex(40) },
    commits: 3,
    additions: 100,
    deletions: 3,
    changed_files: 5,
  },
  ...common,
});

const issue = (fresh: Fresh) => ({
  id: fresh.number(9),
  number: 1348,
  title: 'Found a bug',
  user: octocat,
  labels: [{ id: 208045946, name: 'bug', color: 'f29513', default: true }],
  state: 'open',
  body: 'I am having a problem with this.',
  html_url: 'https://github.com/octocat/Hello-World/issues/1348',
  created_at: fresh.iso(-60),
  updated_at: fresh.iso(-2),
});

const comment = (fresh: Fresh) => ({
  action: 'created',
  issue: issue(fresh),
  comment: {
    id: fresh.number(9),
    html_url: 'https://github.com/octocat/Hello-World/issues/1348#issuecomment-1',
    user: octocat,
    body: 'Me too.',
    created_at: fresh.iso(-2),
    updated_at: fresh.iso(-2),
  },
  ...common,
});

const release = (fresh: Fresh) => ({
  action: 'published',
  release: {
    id: fresh.number(8),
    tag_name: 'v1.0.0',
    target_commitish: 'main',
    name: 'v1.0.0',
    body: 'The first release.',
    draft: false,
    prerelease: false,
    author: octocat,
    html_url: 'https://github.com/octocat/Hello-World/releases/tag/v1.0.0',
    created_at: fresh.iso(-60),
    published_at: fresh.iso(-2),
    assets: [],
  },
  ...common,
});

const workflowRun = (fresh: Fresh) => ({
  action: 'completed',
  workflow_run: {
    id: fresh.number(10),
    name: 'Build',
    head_branch: 'main',
    head_sha: fresh.hex(40),
    run_number: 562,
    run_attempt: 1,
    event: 'push',
    status: 'completed',
    conclusion: 'failure',
    html_url: 'https://github.com/octocat/Hello-World/actions/runs/30433642',
    created_at: fresh.iso(-180),
    updated_at: fresh.iso(-2),
    actor: octocat,
  },
  workflow: { id: 161335, name: 'Build', path: '.github/workflows/build.yml', state: 'active' },
  ...common,
});

const ping = (fresh: Fresh) => ({
  zen: 'Responsive is better than fast.',
  hook_id: fresh.number(9),
  hook: {
    type: 'Repository',
    id: fresh.number(9),
    name: 'web',
    active: true,
    events: ['*'],
    config: { content_type: 'json', insecure_ssl: '0' },
    created_at: fresh.iso(-2),
    updated_at: fresh.iso(-2),
  },
  ...common,
});

export const github: readonly Sample[] = [
  { name: 'push', title: 'Push', build: fresh => event(fresh, 'push', push(fresh)) },
  {
    name: 'pull_request.opened',
    title: 'Pull request opened',
    build: fresh => event(fresh, 'pull_request', pullRequest(fresh)),
  },
  {
    name: 'issues.opened',
    title: 'Issue opened',
    build: fresh => event(fresh, 'issues', { action: 'opened', issue: issue(fresh), ...common }),
  },
  {
    name: 'issue_comment.created',
    title: 'Comment on an issue',
    build: fresh => event(fresh, 'issue_comment', comment(fresh)),
  },
  { name: 'release.published', title: 'Release published', build: fresh => event(fresh, 'release', release(fresh)) },
  {
    name: 'workflow_run.completed',
    title: 'Workflow run failed',
    build: fresh => event(fresh, 'workflow_run', workflowRun(fresh)),
  },
  { name: 'ping', title: 'Webhook created (ping)', build: fresh => event(fresh, 'ping', ping(fresh)) },
];
