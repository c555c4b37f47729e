/** The 21 record families of the coverage catalogue, `<level>.<subtype>`. */
export const CITY_FAMILIES = [
  'city.council_agendas',
  'city.council_minutes',
  'city.planning_and_zoning',
  'city.board_of_adjustment',
  'city.ordinances',
  'city.building_permits',
  'city.plats_and_subdivisions',
  'city.procurement',
  'city.budget_and_taxes',
  'city.economic_development',
  'city.code_compliance',
] as const;

export const COUNTY_FAMILIES = [
  'county.commissioners_agendas',
  'county.commissioners_minutes',
  'county.plats_and_subdivisions',
  'county.procurement',
  'county.budget_and_taxes',
  'county.foreclosure_notices',
  'county.road_and_bridge',
  'county.elections',
  'county.development_permits',
  'county.public_notices',
] as const;

export const FAMILIES = [...CITY_FAMILIES, ...COUNTY_FAMILIES] as const;
