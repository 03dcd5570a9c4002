import type { Platform } from '../engine/platform.ts';

export const dockerhub: Platform = {
  name: 'dockerhub',
  title: 'Docker Hub',
  docsUrl: 'https://docs.docker.com',
  setup: {
    where: 'the repository > Webhooks > Webhook URL',
    url: 'https://docs.docker.com/docker-hub/repos/manage/webhooks/',
  },
  detect: [
    {
      json: {
        push_data: true,
        'repository.repo_name': true,
        callback_url: /^https:\/\/registry\.hub\.docker\.com\//,
      },
      order: 50,
    },
  ],
  eventType: ['text:push'],
  preview: ['push_data.tag', 'push_data.pusher', 'repository.repo_name'],
  signatures: [],
  secretHint: null,
};
