import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigNumber } from '../database/big-number.js';

/** The regions of orders; each is a sharding item. */
export const REGIONS = ['north', 'south', 'east', 'west', 'central', 'overseas'] as const;

/** A region, and the fence that keeps stale owners of its sharding item from writing. */
@Entity('sample_region')
export class Region {
  @PrimaryColumn({ type: 'varchar' })
  name!: string;

  /** The greatest fencing token that has worked on this region. */
  @Column({ type: 'bigint', transformer: bigNumber })
  fencingToken!: number;
}
