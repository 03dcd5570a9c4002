/* https://docs.gitea.com/usage/webhooks; Forgejo sends the same with its own headers beside Gitea's. */
import { type Fresh, jsonRequest, type Sample, type SampleRequest } from '../engine/sample.ts';

const unityUser = { id: 1, login: 'gitea', full_name: 'Gitea', email: 'someone@gitea.example', username: 'gitea' };
const repository = {
  id: 140,
  owner: unityUser,
  name: 'webhooks',
  full_name: 'gitea/webhooks',
  description: '',
  private: false,
  fork: false,
  html_url: 'https://gitea.example/gitea/webhooks',
  clone_url: 'https://gitea.example/gitea/webhooks.git',
  default_branch: 'main',
};

const push = (fresh: Fresh) => {
  const after = fresh.hex(40);
  const author = { name: 'Gitea', email: 'someone@gitea.example', username: 'gitea' };
  return {
    ref: 'refs/heads/main',
    before: fresh.hex(40),
    after,
    compare_url: 'https://gitea.example/gitea/webhooks/compare/28e1879d...bffeb742',
    commits: [
      {
        id: after,
        message: 'Webhooks Yay!',
        url: `https://gitea.example/gitea/webhooks/commit/${after}`,
        author,
        committer: author,
        timestamp: fresh.iso(-20),
      },
    ],
    total_commits: 1,
    repository,
    pusher: unityUser,
    sender: unityUser,
  };
};

const pullRequest = (fresh: Fresh) => ({
  action: 'opened',
  number: 7,
  pull_request: {
    id: fresh.number(6),
    number: 7,
    user: unityUser,
    title: 'Add a changelog',
    body: '',
    state: 'open',
    html_url: 'https://gitea.example/gitea/webhooks/pulls/7',
    mergeable: true,
    merged: false,
    base: { label: 'main', ref: 'main', sha: fresh.hex(40) },
    head: { label: 'changelog', ref: 'changelog', sha: fresh.hex(40) },
    created_at: fresh.iso(-5),
    updated_at: fresh.iso(-5),
  },
  repository,
  sender: unityUser,
});

const samplesOf = (headers: (fresh: Fresh, type: string) => Record<string, string>): readonly Sample[] => {
  const event = (fresh: Fresh, type: string, payload: object): SampleRequest =>
    jsonRequest(headers(fresh, type), payload);
  return [
    { name: 'push', title: 'Push', build: fresh => event(fresh, 'push', push(fresh)) },
    {
      name: 'pull_request.opened',
      title: 'Pull request opened',
      build: fresh => event(fresh, 'pull_request', pullRequest(fresh)),
    },
  ];
};

export const gitea = samplesOf((fresh, type) => ({
  'User-Agent': 'Go-http-client/1.1',
  'X-Gitea-Delivery': fresh.uuid(),
  'X-Gitea-Event': type,
  'X-Gitea-Event-Type': type,
}));

export const forgejo = samplesOf((fresh, type) => {
  const delivery = fresh.uuid();
  return {
    'User-Agent': 'Go-http-client/1.1',
    'X-Forgejo-Delivery': delivery,
    'X-Forgejo-Event': type,
    'X-Forgejo-Event-Type': type,
    'X-Gitea-Delivery': delivery,
    'X-Gitea-Event': type,
    'X-Gitea-Event-Type': type,
  };
});
