/* The audit log of the team, for its owners: newest first, page by page, and all of it as a file. */

import { useEffect, useState } from 'preact/hooks';
import type { AuditEntry, AuditPage } from '../../features/audit/model.ts';
import { call } from '../kit/api.ts';
import { Button, Notice, Skeleton } from '../kit/controls.tsx';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { useStyle } from '../kit/on-demand-style.ts';
import { Time } from '../kit/time.tsx';
import style from '../styles/jobs.css' with { type: 'file' };

const pageSize = 50;

const viaLabels: Record<AuditEntry['via'], string> = {
  dashboard: 'dashboard',
  api: 'API key or app',
  command: "operator's command",
};

export function AuditSection() {
  const isStyled = useStyle(style);
  const [page, setPage] = useState<AuditPage>();
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const load = async (before: AuditPage | undefined): Promise<void> => {
    setIsBusy(true);
    try {
      const cursor = before?.nextCursor ? `&cursor=${encodeURIComponent(before.nextCursor)}` : '';
      const next = await call<AuditPage>('GET', `/api/audit?limit=${pageSize}${cursor}`);
      setPage({ entries: [...(before?.entries ?? []), ...next.entries], nextCursor: next.nextCursor });
      setProblem('');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setIsBusy(false);
  };
  useEffect(() => void load(undefined), []);
  return (
    <section class="card section">
      <h2>Audit log</h2>
      <p class="lead">
        Every operation that changes something leaves one line, the operator's commands included. Lines are never
        changed.
      </p>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {(!page || !isStyled) && !problem && <Skeleton rows={5} />}
      {page && isStyled && (
        <>
          <div class="button-row">
            <a class="button plain" href="/api/audit?format=ndjson" download="audit.ndjson">
              Download as NDJSON
            </a>
            <Button kind="quiet" busy={isBusy} onClick={() => load(undefined)}>
              Refresh
            </Button>
          </div>
          <Lines entries={page.entries} />
          {page.nextCursor !== null && (
            <Button busy={isBusy} onClick={() => load(page)}>
              Show older lines
            </Button>
          )}
        </>
      )}
    </section>
  );
}

const Lines = ({ entries }: { entries: readonly AuditEntry[] }) => (
  <table class="audit-lines">
    <thead>
      <tr>
        <th scope="col">When</th>
        <th scope="col">Who</th>
        <th scope="col">What</th>
        <th scope="col">Of</th>
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
