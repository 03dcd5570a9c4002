import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const microsoftTeams: Platform = {
  name: 'microsoft-teams',
  title: 'Microsoft Teams outgoing webhooks',
  docsUrl: 'https://learn.microsoft.com/microsoftteams/',
  detect: [{ headerValues: { authorization: /^HMAC / }, order: 50 }],
  eventType: ['json:type'],
  preview: ['from.name', 'text', 'channelData.team.name'],
  signatures: [hmac('authorization', { prefix: 'HMAC ', encoding: 'base64', keyFormat: 'base64' })],
  secretHint: 'The security token shown when the outgoing webhook was created',
};
