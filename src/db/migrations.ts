/* All migrations, embedded in the executable. Append only: a released file is never edited. */
import createSchema from '../../migrations/0001_create_schema.sql' with { type: 'text' };
import createSearch from '../../migrations/0002_create_search.sql' with { type: 'text' };
import createOauth from '../../migrations/0003_create_oauth.sql' with { type: 'text' };
import bindKeysToApps from '../../migrations/0004_bind_keys_to_apps.sql' with { type: 'text' };
import addSecretConfirmation from '../../migrations/0005_add_secret_confirmation.sql' with { type: 'text' };
import addBlocks from '../../migrations/0006_add_blocks.sql' with { type: 'text' };
import replaceSearch from '../../migrations/0007_replace_search.sql' with { type: 'text' };
import addPins from '../../migrations/0008_add_pins.sql' with { type: 'text' };
import addDeliveries from '../../migrations/0009_add_deliveries.sql' with { type: 'text' };
import createFilters from '../../migrations/0010_create_filters.sql' with { type: 'text' };
import addConsumers from '../../migrations/0011_add_consumers.sql' with { type: 'text' };
import createSchemas from '../../migrations/0012_create_schemas.sql' with { type: 'text' };
import addSigning from '../../migrations/0013_add_signing.sql' with { type: 'text' };
import addTeamControls from '../../migrations/0014_add_team_controls.sql' with { type: 'text' };
import addTestSecrets from '../../migrations/0015_add_test_secrets.sql' with { type: 'text' };
import createKeyLogins from '../../migrations/0016_create_key_logins.sql' with { type: 'text' };
import addAnswers from '../../migrations/0017_add_answers.sql' with { type: 'text' };
import addGuard from '../../migrations/0018_add_guard.sql' with { type: 'text' };
import declareEndpoints from '../../migrations/0019_declare_endpoints.sql' with { type: 'text' };
import createQueues from '../../migrations/0020_create_queues.sql' with { type: 'text' };
import createAudit from '../../migrations/0021_create_audit.sql' with { type: 'text' };
import createReplayJobs from '../../migrations/0022_create_replay_jobs.sql' with { type: 'text' };
import createAlerts from '../../migrations/0023_create_alerts.sql' with { type: 'text' };
import createForwards from '../../migrations/0024_create_forwards.sql' with { type: 'text' };
import addPerToReplayJobs from '../../migrations/0025_add_per_to_replay_jobs.sql' with { type: 'text' };
import countQueueErrors from '../../migrations/0026_count_queue_errors.sql' with { type: 'text' };
import addTeamToQueues from '../../migrations/0027_add_team_to_queues.sql' with { type: 'text' };
import renameAlertStates from '../../migrations/0028_rename_alert_states.sql' with { type: 'text' };
import wakeAlerts from '../../migrations/0029_wake_alerts.sql' with { type: 'text' };
import versionTeams from '../../migrations/0030_version_teams.sql' with { type: 'text' };
import indexValues from '../../migrations/0031_index_values.sql' with { type: 'text' };
import createInvalidSignatures from '../../migrations/0032_create_invalid_signatures.sql' with { type: 'text' };
import keepRequests from '../../migrations/0033_keep_requests_and_places.sql' with { type: 'text' };
import createForwardStats from '../../migrations/0034_create_forward_stats.sql' with { type: 'text' };
import addWaysToSignIn from '../../migrations/0035_add_ways_to_sign_in.sql' with { type: 'text' };
import keepAlertChanges from '../../migrations/0036_keep_alert_changes.sql' with { type: 'text' };
import shapeForwards from '../../migrations/0037_shape_forwards.sql' with { type: 'text' };
import createMcpSubscriptions from '../../migrations/0038_create_mcp_subscriptions.sql' with { type: 'text' };
import createRedactions from '../../migrations/0039_create_redactions.sql' with { type: 'text' };
import createErasures from '../../migrations/0040_create_erasures.sql' with { type: 'text' };

/** Element N is migration N+1; its statements are separated by `--> statement-breakpoint`. */
export const migrations: readonly string[] = [
  createSchema,
  createSearch,
  createOauth,
  bindKeysToApps,
  addSecretConfirmation,
  addBlocks,
  replaceSearch,
  addPins,
  addDeliveries,
  createFilters,
  addConsumers,
  createSchemas,
  addSigning,
  addTeamControls,
  addTestSecrets,
  createKeyLogins,
  addAnswers,
  addGuard,
  declareEndpoints,
  createQueues,
  createAudit,
  createReplayJobs,
  createAlerts,
  createForwards,
  addPerToReplayJobs,
  countQueueErrors,
  addTeamToQueues,
  renameAlertStates,
  wakeAlerts,
  versionTeams,
  indexValues,
  createInvalidSignatures,
  keepRequests,
  createForwardStats,
  addWaysToSignIn,
  keepAlertChanges,
  shapeForwards,
  createMcpSubscriptions,
  createRedactions,
  createErasures,
];
