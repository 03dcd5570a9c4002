-- What was sent (JSON, see core/replay/kept-request.ts); NULL for earlier attempts and for those that listeners report.
ALTER TABLE replays ADD COLUMN request BLOB;
