/* https://docs.gitlab.com/user/project/integrations/webhook_events/ */
import { type Fresh, jsonRequest, type Sample, type SampleRequest } from '../engine/sample.ts';

const event = (fresh: Fresh, type: string, payload: object): SampleRequest =>
  jsonRequest(
    {
      'User-Agent': 'GitLab/18.5.0',
      'Idempotency-Key': fresh.uuid(),
      'X-Gitlab-Event': type,
      'X-Gitlab-Event-UUID': fresh.uuid(),
      'X-Gitlab-Instance': 'https://gitlab.com',
      'X-Gitlab-Webhook-UUID': fresh.uuid(),
    },
    payload,
  );

const project = {
  id: 15,
  name: 'Diaspora',
  description: '',
  web_url: 'https://gitlab.com/mike/diaspora',
  git_ssh_url: 'git@gitlab.com:mike/diaspora.git',
  git_http_url: 'https://gitlab.com/mike/diaspora.git',
  namespace: 'Mike',
  visibility_level: 0,
  path_with_namespace: 'mike/diaspora',
  default_branch: 'main',
};
const user = { id: 4, name: 'John Smith', username: 'jsmith', email: '[REDACTED]' };

const push = (fresh: Fresh) => {
  const after = fresh.hex(40);
  return {
    object_kind: 'push',
    event_name: 'push',
    before: fresh.hex(40),
    after,
    ref: 'refs/heads/main',
    ref_protected: true,
    checkout_sha: after,
    user_id: user.id,
    user_name: user.name,
    user_username: user.username,
    project_id: project.id,
    project,
    commits: [
      {
        id: after,
        message: 'Update Catalan translation to e38cb41.\n',
        title: 'Update Catalan translation to e38cb41.',
        timestamp: fresh.iso(-30),
        url: `https://gitlab.com/mike/diaspora/-/commit/${after}`,
        author: { name: 'Jordi Mallach', email: 'jordi@example.com' },
        added: [],
        modified: ['app/locale/ca.yml'],
        removed: [],
      },
    ],
    total_commits_count: 1,
  };
};

const mergeRequest = (fresh: Fresh) => ({
  object_kind: 'merge_request',
  event_type: 'merge_request',
  user,
  project,
  object_attributes: {
    id: fresh.number(8),
    iid: 16,
    target_branch: 'main',
    source_branch: 'ms-viewport',
    title: 'MS-Viewport',
    description: '',
    state: 'opened',
    merge_status: 'unchecked',
    created_at: fresh.iso(-5),
    updated_at: fresh.iso(-5),
    url: 'https://gitlab.com/mike/diaspora/-/merge_requests/16',
    draft: false,
    action: 'open',
  },
  labels: [],
  changes: {},
});

const issue = (fresh: Fresh) => ({
  object_kind: 'issue',
  event_type: 'issue',
  user,
  project,
  object_attributes: {
    id: fresh.number(8),
    iid: 23,
    title: 'New API: create/update/delete file',
    description: 'Create new API for manipulations with repository',
    state: 'opened',
    created_at: fresh.iso(-5),
    updated_at: fresh.iso(-5),
    url: 'https://gitlab.com/mike/diaspora/-/issues/23',
    action: 'open',
    labels: [],
  },
  labels: [],
});

const pipeline = (fresh: Fresh) => ({
  object_kind: 'pipeline',
  object_attributes: {
    id: fresh.number(9),
    iid: 3,
    ref: 'main',
    tag: false,
    sha: fresh.hex(40),
    before_sha: fresh.hex(40),
    source: 'push',
    status: 'failed',
    detailed_status: 'failed',
    stages: ['build', 'test', 'deploy'],
    created_at: fresh.iso(-140),
    finished_at: fresh.iso(-5),
    duration: 135,
    url: 'https://gitlab.com/mike/diaspora/-/pipelines/31',
  },
  user,
  project,
  builds: [],
});

export const gitlab: readonly Sample[] = [
  { name: 'Push Hook', title: 'Push', build: fresh => event(fresh, 'Push Hook', push(fresh)) },
  {
    name: 'Merge Request Hook',
    title: 'Merge request opened',
    build: fresh => event(fresh, 'Merge Request Hook', mergeRequest(fresh)),
  },
  { name: 'Issue Hook', title: 'Issue opened', build: fresh => event(fresh, 'Issue Hook', issue(fresh)) },
  { name: 'Pipeline Hook', title: 'Pipeline failed', build: fresh => event(fresh, 'Pipeline Hook', pipeline(fresh)) },
];
