/* Account settings: the profile. */

import { Card, Facts } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { useWorkspace } from '../kit/workspace.tsx';

export function AccountSection() {
  const { session } = useWorkspace();
  return (
    <Card title="Account">
      <Facts
        facts={[
          ['Email', session.account.email],
          ['Role', session.role === 'owner' ? 'Owner' : 'Member'],
          ['Created', <Time at={session.account.createdAt} long />],
          ['Hooktape', session.version],
        ]}
      />
    </Card>
  );
}
