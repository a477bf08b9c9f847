create table event(id integer primary key, host int, kind text, size real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 400000)
 insert into event select i, (i * 7919) % 503, 'kind' || ((i * 104729) % 6007), i * 0.125 from n;
create table host(id int, room text);
insert into host select distinct host, 'room' || (host % 41) from event;
create index event_kind on event(kind);
select room, count(*), sum(size), min(kind) from event join host on event.host = host.id
 group by room order by 3 desc, 1 limit 8;
select kind, count(*) n from event where kind like 'kind2%' group by kind having n > 30
 order by n desc, kind limit 8;
select count(*) from event a join event b on a.kind = b.kind and a.id < b.id where a.host < 60;
select sum(length(replace(kind, 'd', 'ddd'))), count(distinct host % 17) from event;
select id, avg(size) over (order by id rows 20 preceding) from event order by id desc limit 4;
update event set size = size + 1 where host % 3 = 0;
select total(size) from event;
drop table event;
drop table host;
