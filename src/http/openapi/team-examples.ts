/* The examples of keys, the team and its invitations, by the names of their schemas. */

const createdAt = 1_789_000_000_000;
const account = { id: 'acc_01m2ab3cd4ef5gh6jk7mn8pq9r', email: 'ada@example.com' };
const key = {
  id: 'key_01m2ab3cd4ef5gh6jk7mn8pq9r',
  name: 'laptop',
  last4: '7x2q',
  createdAt,
  lastUsedAt: createdAt + 123_456,
  app: null,
  expiresAt: null,
  readOnly: false,
};
const invitation = {
  id: 'inv_01m2ab3cd4ef5gh6jk7mn8pq9r',
  email: 'grace@example.com',
  invitedBy: account.email,
  createdAt,
  expiresAt: createdAt + 259_200_000,
};

const auditEntry = {
  id: 'aud_01m2ab3cd4ef5gh6jk7mn8pq9r',
  at: createdAt + 60_000,
  actor: account,
  via: 'dashboard',
  action: 'endpoint.created',
  target: { type: 'endpoint', id: 'ep_01m2ab3cd4ef5gh6jk7mn8pq9r' },
};

export const teamExamples: Record<string, unknown> = {
  AuditPage: { entries: [auditEntry], nextCursor: null },
  ApiKeyList: { keys: [key] },
  CreatedApiKey: { ...key, lastUsedAt: null, key: 'htk_4t9v2kq8x7w3m5n6p1r0s2d4f6g8h0j2k4m6n8p0q2r4s6t87x2q' },
  Invitation: { ...invitation, url: 'https://hooks.example.com/login?invitation=4t9v2kq8x7w3m5n6p1r0s2d4f6g8h0j2' },
  ApiKeyInput: { name: 'laptop', expiresIn: '90d' },
  InvitationInput: { email: 'grace@example.com' },
  OpenInvitation: { email: 'grace@example.com', teamOf: 'ada@example.com' },
  PendingInvitationList: { invitations: [invitation] },
  Team: {
    members: [{ id: account.id, email: 'ada@example.com', role: 'owner', createdAt }],
    plan: 'pro',
    limits: { endpoints: 0, keys: 10, retentionMs: 7_776_000_000 },
  },
};
