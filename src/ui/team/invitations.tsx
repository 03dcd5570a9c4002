/* Team settings for owners: invite by link, and the invitations that were not accepted yet. A link is shown only when it is made. */

import { useState } from 'preact/hooks';
import type { Invitation, PendingInvitation } from '../../features/teams/model.ts';
import { api } from '../kit/api.ts';
import { Button, Dialog, Field, Notice } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { formatMinute } from '../kit/format/time.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Time } from '../kit/time.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { Until } from '../kit/until.tsx';
import { useQuery } from '../kit/use-query.ts';

export function InvitationsSection() {
  const pending = useQuery('invitations', api.invitations);
  const [made, setMade] = useState<Invitation>();
  const [withdrawing, setWithdrawing] = useState<PendingInvitation>();
  const show = (invitation: Invitation): void => {
    setMade(invitation);
    pending.reload();
  };
  const change = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      showError(error);
      // It may have been accepted or have expired meanwhile.
      pending.reload();
    }
  };
  const resend = (one: PendingInvitation) => change(async () => show(await api.resendInvitation(one.id)));
  const withdraw = (one: PendingInvitation) =>
    change(async () => {
      setWithdrawing(undefined);
      await api.withdrawInvitation(one.id);
      pending.reload();
      showToast(`The invitation for ${visibleName(one.email)} was withdrawn.`);
    });
  return (
    <section class="card section">
      <h2>Invitations</h2>
      <InviteForm onMade={show} />
      {pending.problem && <Notice tone="bad">{pending.problem}</Notice>}
      <ul class="rows" aria-label="Pending invitations">
        {pending.value?.map(one => (
          <PendingRow key={one.id} one={one} onResend={() => resend(one)} onWithdraw={() => setWithdrawing(one)} />
        ))}
      </ul>
      {made && <LinkDialog invitation={made} onClose={() => setMade(undefined)} />}
      {withdrawing && (
        <Dialog
          title={`Withdraw the invitation for ${visibleName(withdrawing.email)}?`}
          onClose={() => setWithdrawing(undefined)}
        >
          <p>Their link stops working immediately. You can invite them again later.</p>
          <div class="dialog-actions">
            <Button onClick={() => setWithdrawing(undefined)}>Cancel</Button>
            <Button kind="danger" onClick={() => withdraw(withdrawing)}>
              Withdraw
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

type PendingRowProps = { one: PendingInvitation; onResend: () => void; onWithdraw: () => void };

const PendingRow = ({ one, onResend, onWithdraw }: PendingRowProps) => (
  <li>
    <div class="stack grow">
      <strong>{visibleName(one.email)}</strong>
      <span class="faint">
        invited by {visibleName(one.invitedBy)} <Time at={one.createdAt} long /> · expires <Until at={one.expiresAt} />
      </span>
    </div>
    <div class="button-row">
      <Button kind="quiet" aria-label={`New link for ${visibleName(one.email)}`} onClick={onResend}>
        New link
      </Button>
      <Button kind="quiet" aria-label={`Withdraw the invitation for ${visibleName(one.email)}`} onClick={onWithdraw}>
        Withdraw
      </Button>
    </div>
  </li>
);

function InviteForm({ onMade }: { onMade: (invitation: Invitation) => void }) {
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState('');
  const invite = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      onMade(await api.invite(email.trim()));
      setEmail('');
      setProblem('');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form class="inline-form" onSubmit={invite}>
      <Field
        label="Email"
        type="email"
        value={email}
        onText={setEmail}
        required
        placeholder="colleague@example.com"
        problem={problem}
        hint="They join as a member and see all endpoints and events."
      />
      <Button type="submit" disabled={email.trim() === ''}>
        Create invite link
      </Button>
    </form>
  );
}

const LinkDialog = ({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) => (
  <Dialog title={`Invite link for ${visibleName(invitation.email)}`} wide isPersistent onClose={onClose}>
    <p>
      Share this link yourself: Hooktape doesn't send email. It works once, expires {formatMinute(invitation.expiresAt)}
      , and replaces any earlier link for this person.
    </p>
    <div class="address large">
      <code>{invitation.url}</code>
      <CopyButton kind="primary" label="Copy" text={invitation.url} />
    </div>
  </Dialog>
);
