import { attachmentResource } from './attachment.ts'
import type { FixedResource, TemplateResource } from './define-resource.ts'
import { hubsResource } from './hubs.ts'
import { mapResource } from './map.ts'
import { nodeResource } from './node.ts'
import { recentResource } from './recent.ts'
import { systemInfoResource } from './system-info.ts'
import { treeResource } from './tree.ts'

/** Every resource at an address of its own, in the order in which they are listed. */
export const RESOURCES: readonly FixedResource[] = [recentResource, mapResource, hubsResource, treeResource, systemInfoResource]

/** Every form of addresses. */
export const TEMPLATES: readonly TemplateResource[] = [nodeResource, attachmentResource]
