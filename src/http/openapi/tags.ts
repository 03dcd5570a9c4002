/* The groups of operations, in the order of the document. */
import type { Tag } from './document.ts';

export const tags: Tag[] = [
  { name: 'Account', description: 'The account that the credentials belong to.' },
  {
    name: 'Endpoints',
    description:
      'URLs to register as webhook destinations, their live streams, feeds, consumers and listeners, and their history as a file.',
  },
  { name: 'Events', description: 'Captured deliveries: list, search, read and replay.' },
  {
    name: 'Alerts',
    description:
      'Notifications when an endpoint falls silent, signatures are wrong, schemas change or a forward is stuck.',
  },
  { name: 'Replay jobs', description: 'Many events, sent again at a pace, and answers of two handlers compared.' },
  { name: 'Forwards', description: 'Every event of an endpoint, sent on to a URL until it is accepted.' },
  {
    name: 'Filters',
    description: 'Filters in the language of `where`: saved, tried out, and used to delete events.',
  },
  {
    name: 'Answers',
    description: 'Custom answers for senders: errors, delays and faults, to test how they retry.',
  },
  {
    name: 'Schemas',
    description: 'The shape of the JSON bodies of each event type, learned from the events, and how it changed.',
  },
  { name: 'Keys', description: 'API keys of the account. A full key is shown once, when it is created.' },
  { name: 'Apps', description: 'Apps that the account has connected by OAuth 2.1.' },
  {
    name: 'Secrets',
    description: 'Signing secrets that verify the signatures of deliveries. Responses never contain a secret.',
  },
  { name: 'Test events', description: 'Samples of the platforms, and how to connect each platform.' },
  { name: 'Sessions', description: 'Sign-in, passwords and first run, for the dashboard.' },
  { name: 'Team', description: 'Members of the team, and invitations to it.' },
];
