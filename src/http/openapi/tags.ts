/* What the groups of operations are about. */
import type { Refinement } from './document.ts';

const descriptions: Record<string, string> = {
  Account: 'The account that the credentials belong to.',
  Endpoints: 'Addresses to register as webhook destinations, their live streams and their history as a file.',
  Events: 'Captured deliveries: list, search, read, and send again.',
  Keys: 'API keys of the account. A full key is shown once, when it is created.',
  Apps: 'Apps that the account has connected by OAuth 2.1.',
  Secrets: 'Signing secrets that the signatures of deliveries are checked with. A secret goes in and never comes out.',
  Sessions: 'Sign-in, passwords and first run, for the dashboard.',
  Team: 'Members of the team, and invitations to it.',
};

export const describedTags: Refinement = document => ({
  ...document,
  tags: document.tags.map(({ name }) => {
    const description = descriptions[name];
    return { name, ...(description !== undefined && { description }) };
  }),
});
