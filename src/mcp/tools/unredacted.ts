/** Members of answers that are about a change itself, not about notes. */
export const OF_CHANGES: ReadonlySet<string> = new Set([
  ...['node', 'id', 'ids', 'old_id', 'new_id', 'hash', 'deleted'],
  ...['change_id', 'plan_id', 'undone', 'undoes', 'time', 'state'],
])

/** Members of answers that are about an attachment itself, not about notes. */
export const OF_ATTACHMENTS: ReadonlySet<string> = new Set([
  ...['attachments', 'total', 'id', 'filename', 'mime_type', 'size', 'created', 'modified', 'content', 'next_offset'],
  ...['deleted', 'change_id', 'plan_id'],
])
