/* The examples of replay jobs, by the names of their schemas. */
const createdAt = 1_789_000_000_000;
const eventId = 'evt_01m2ab3cd4ef5gh6jk7mn8pq9r';
const job = {
  id: 'job_01m2ab3cd4ef5gh6jk7mn8pq9r',
  state: 'running',
  endpointId: 'ep_01m2ab3cd4ef5gh6jk7mn8pq9r',
  where: 'type:order.* received>2h',
  dest: 'https://staging.example.com/hook',
  dest2: 'https://next.example.com/hook',
  ignore: ['body.id'],
  compareHeaders: [],
  pace: '5/s',
  concurrency: 1,
  per: 'event',
  skipOk: false,
  stopAfter: null,
  sign: null,
  matched: 120,
  bytes: 84_000,
  ok: 0,
  failed: 1,
  skipped: 0,
  same: 41,
  different: 1,
  createdAt,
  finishedAt: null,
};
const answer = (total: string) => ({
  status: 200,
  headers: [['Content-Type', 'application/json']],
  body: `{"total":"${total}"}`,
  bodyEncoding: 'utf8',
});

export const jobExamples: Record<string, unknown> = {
  ReplayJobInput: {
    endpointId: job.endpointId,
    where: 'type:order.*',
    from: '2h',
    dest: job.dest,
    dest2: job.dest2,
    ignore: ['body.id'],
    pace: '5/s',
  },
  ReplayJob: job,
  ReplayJobDryRun: { matched: 120, bytes: 84_000 },
  ReplayJobPage: { jobs: [job], nextCursor: null },
  ReplayJobItemPage: {
    items: [
      {
        eventId,
        outcome: 'different',
        status: 200,
        status2: 200,
        error: null,
        differences: [{ path: 'body.total', left: '12.50', right: '12.5' }],
      },
    ],
    nextCursor: null,
  },
  ReplayJobAnswers: { left: answer('12.50'), right: answer('12.5') },
};
