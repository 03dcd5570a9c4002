/* The audit log of the team, for its owners: newest first, page by page, and all of it as a file. */

import { useEffect, useState } from 'preact/hooks';
import type { AuditEntry, AuditPage } from '../../features/audit/model.ts';
import { ActionButton } from '../kit/action.tsx';
import { call } from '../kit/api.ts';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Card, Loaded } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { messageOf } from '../kit/toasts.tsx';

const pageSize = 50;

const viaLabels: Record<AuditEntry['via'], string> = {
  dashboard: 'dashboard',
  api: 'API key or app',
  command: 'operator command',
};

export function AuditSection() {
  const [page, setPage] = useState<AuditPage>();
  const [problem, setProblem] = useState('');
  const load = async (before: AuditPage | undefined): Promise<void> => {
    try {
      const cursor = before?.nextCursor ? `&cursor=${encodeURIComponent(before.nextCursor)}` : '';
      const next = await call<AuditPage>('GET', `/api/audit?limit=${pageSize}${cursor}`);
      setPage({ entries: [...(before?.entries ?? []), ...next.entries], nextCursor: next.nextCursor });
      setProblem('');
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  useEffect(() => void load(undefined), []);
  return (
    <Card title="Audit log" lead="Every change in this team, including the operator commands. Append-only.">
      <Loaded query={{ value: page, problem, reload: () => load(undefined) }} what="the log" rows={5} inCard>
        {page => (
          <>
            <div class="row">
              <a class="button plain" href="/api/audit?format=ndjson" download="audit.ndjson">
                Download as NDJSON
              </a>
              <ActionButton kind="quiet" act={() => load(undefined)}>
                Refresh
              </ActionButton>
            </div>
            <Lines entries={page.entries} />
            {page.nextCursor !== null && <ActionButton act={() => load(page)}>Show older entries</ActionButton>}
          </>
        )}
      </Loaded>
    </Card>
  );
}

const Lines = ({ entries }: { entries: readonly AuditEntry[] }) => (
  <table class="audit-lines table folds">
    <thead>
      <tr>
        <th scope="col">When</th>
        <th scope="col">Who</th>
        <th scope="col">What</th>
        <th scope="col">Target</th>
      </tr>
    </thead>
    <tbody>
      {entries.map(({ id, at, actor, via, action, target }) => (
        <tr key={id}>
          <td>
            <Time at={at} long />
          </td>
          <td>
            {actor ? visibleName(actor.email) : 'Operator'} <span class="faint">{viaLabels[via]}</span>
          </td>
          <td>
            <code>{visibleLine(action)}</code>
          </td>
          <td>
            {visibleLine(target.type)} <code>{visibleLine(target.id)}</code>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
