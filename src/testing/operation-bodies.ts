/* Valid bodies of every operation of `/openapi.json` that accepts one, by operation id. */
import { signInPassword } from './oauth-harness.ts';

/** The resources that bodies refer to. `target`: an endpoint of Ada's, whose URL is `destination`. */
type Subjects = { ada: { email: string }; target: { id: string }; destination: string; newEmail: () => string };

export const operationBodies: Record<string, (subjects: Subjects) => object> = {
  createEndpoint: () => ({ name: 'created by a test' }),
  renameEndpoint: () => ({ name: 'renamed by a test' }),
  rotateEndpointUrl: () => ({ overlap: '1h' }),
  pinEvent: () => ({ name: 'golden', note: 'pinned by a test' }),
  tagEvent: () => ({ tags: ['golden'] }),
  putConsumer: () => ({ cursor: 'start' }),
  callAsListener: () => ({ instance: 'of-a-test', targets: ['http://localhost:3000'] }),
  createAlert: ({ destination }) => ({
    name: 'quiet',
    kind: 'silence',
    minutes: 5,
    channel: { type: 'slack', url: destination },
  }),
  changeAlert: () => ({ enabled: false }),
  saveFilter: () => ({ name: 'large', where: 'size>10k' }),
  setAnswers: () => ({ rules: [{ first: 2, answer: { status: 500 } }] }),
  previewRedaction: () => ({ rules: [{ detect: 'email', with: 'hash' }], limit: 2 }),
  setRedaction: () => ({ rules: [{ in: 'body', path: 'customer.email', with: 'mask' }] }),
  previewAnswers: () => ({ rules: [{ answer: { status: 500 } }] }),
  testFilter: () => ({ where: 'method:POST' }),
  deleteEvents: () => ({ where: 'type:absent' }),
  addSecret: () => ({ platform: 'stripe', secret: 'whsec_0123456789abcdef' }),
  changeSecret: () => ({ maySign: true, destinations: ['https://staging.example.com'] }),
  reportAttempts: ({ destination }) => ({
    attempts: [{ eventId: 'evt_0000000000000000000000', destination, status: 200, durationMs: 1 }],
  }),
  applyRedaction: () => ({ where: 'type:absent' }),
  createErasure: () => ({ text: 'a text that no event has' }),
  sendTestEvent: () => ({ platform: 'stripe' }),
  replayEvent: ({ destination }) => ({ url: destination }),
  checkSignature: () => ({ secret: 'a secret of a test' }),
  createReplayJob: ({ target, destination }) => ({
    endpointId: target.id,
    dest: `${destination}/${crypto.randomUUID()}`,
  }),
  createForward: ({ destination }) => ({ name: 'created by a test', url: destination.replace('/in/', '/x/') }),
  changeForward: () => ({ enabled: false }),
  previewForward: () => ({ request: { contentType: 'application/json', body: '{}' } }),
  retryForward: () => ({}),
  skipForward: () => ({}),
  createKey: () => ({ name: 'created by a test' }),
  signIn: ({ ada }) => ({ email: ada.email, password: signInPassword }),
  changePassword: () => ({ current: signInPassword, password: signInPassword }),
  confirmTotp: () => ({ code: '287082' }),
  turnOffTotp: () => ({ code: '287082' }),
  createPasskey: () => ({ name: 'made by a test', response: {} }),
  renamePasskey: () => ({ name: 'renamed by a test' }),
  signInWithPasskey: () => ({ response: {} }),
  setUp: () => ({ token: 'unknown', email: 'second@example.com', password: signInPassword }),
  invite: ({ newEmail }) => ({ email: newEmail() }),
  acceptInvitation: () => ({ password: signInPassword }),
};
